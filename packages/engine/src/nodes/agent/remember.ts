import { digest, type JsonObject } from '@baton/protocol';
import { writeEntry } from '../../kernel/memory/changes.ts';
import type { WorkingRun } from '../../kernel/working-run.ts';

/** The longest text that an agent can remember at once. */
const LONGEST = 4000;

/** Writes what an agent wants to remember into the memory of its run. Secrets are removed on the way. */
export function remember(working: WorkingRun, nodeId: string, input: JsonObject): void {
  const { text, key } = input;
  const content = String(text ?? '').slice(0, LONGEST);
  writeEntry(working, nodeId, {
    // The same note twice is one entry.
    id: typeof key === 'string' && key !== '' ? key.slice(0, 256) : `note-${digest(content).slice(0, 16)}`,
    content,
    tags: ['agent'],
  });
}
