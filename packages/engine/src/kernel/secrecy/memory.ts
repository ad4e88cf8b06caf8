import type { MemoryChange } from '../../ports/memory.ts';
import type { Redactor } from './redaction.ts';

/** A change to memory without secrets in its content, its id, its tags or its type. */
export function redactChange(redactor: Redactor | undefined, change: MemoryChange): MemoryChange {
  if (redactor === undefined || change.kind === 'carry') return change;
  const id = redactor.redactText(change.id);
  if (change.kind === 'forget') return { ...change, id };
  const { contentType } = change;
  return {
    ...change,
    id,
    tags: change.tags.map(redactor.redactText),
    content: redactor.redactText(change.content),
    ...(contentType !== undefined && { contentType: redactor.redactText(contentType) }),
  };
}
