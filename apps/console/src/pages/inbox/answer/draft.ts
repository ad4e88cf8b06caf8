import { isObject, valueText } from '../../../ui/content/value-text.ts';
import { parseJson } from '../../../ui/form/read-form.ts';

/** How an artifact is edited: as JSON, or as a text, which is the artifact itself or its only member. */
type Draft =
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string; readonly member?: string };

export function draftOf(artifact: unknown): Draft {
  if (typeof artifact === 'string') return { kind: 'text', text: artifact };
  const [member, ...others] = isObject(artifact) ? Object.entries(artifact) : [];
  if (member !== undefined && others.length === 0 && typeof member[1] === 'string') {
    return { kind: 'text', text: member[1], member: member[0] };
  }
  return { kind: 'json', text: valueText(artifact) };
}

/** The artifact that an edited text stands for, or why it stands for none. */
export function readDraft(
  draft: Draft,
  text: string,
  artifact: unknown,
): { readonly value: unknown } | { readonly problem: string } {
  if (draft.kind === 'text') return { value: draft.member === undefined ? text : { [draft.member]: text } };
  const parsed = parseJson(text);
  if ('problem' in parsed) return parsed;
  if (isObject(artifact) && !isObject(parsed.value)) {
    return { problem: 'The artifact is an object, so it must begin with { and end with }.' };
  }
  return parsed;
}
