import { type FieldProblem, type Json, problemByAuthor, toJson } from '@baton/protocol';

/**
 * Reads what a model said. It is data from outside: bounded, parsed as JSON and nothing looser, and held to the
 * schema that the author gave. What is wrong is told without repeating anything of it.
 */

/** Longer answers are not looked at; an event would not hold them. */
export const MAX_ANSWER_CHARACTERS = 256 * 1024;

export type ReadAnswer = { readonly unfenced: boolean } & (
  | { readonly kind: 'valid'; readonly value: Json }
  | {
      readonly kind: 'invalid';
      readonly reason: 'parse-error' | 'schema-violation';
      readonly problem: string;
      /** Nothing but words: the model may have answered, only not in the form it was asked for. */
      readonly prose: boolean;
    }
);

export function readAnswer(text: string, schema: object): ReadAnswer {
  if (text.length > MAX_ANSWER_CHARACTERS) {
    return unreadable(`the answer is longer than ${MAX_ANSWER_CHARACTERS} characters`, false);
  }
  const inner = insideFence(text);
  const parsed = parseJson(inner ?? text);
  if (parsed === undefined) return unreadable('the answer is not JSON', isProse(text));
  const unfenced = inner !== undefined;
  const problem = problemByAuthor(schema, parsed.value);
  if (problem === undefined) return { kind: 'valid', value: parsed.value, unfenced };
  const words = describe(problem, schema);
  return { kind: 'invalid', reason: 'schema-violation', problem: words, prose: false, unfenced };
}

function unreadable(problem: string, prose: boolean): ReadAnswer {
  return { kind: 'invalid', reason: 'parse-error', problem, prose, unfenced: false };
}

function parseJson(text: string): { readonly value: Json } | undefined {
  try {
    return { value: toJson(JSON.parse(text)) };
  } catch {
    return undefined;
  }
}

const FENCE = '```';

/** What stands in a code fence, when the whole answer is one. */
function insideFence(text: string): string | undefined {
  const trimmed = text.trim();
  const begin = trimmed.indexOf('\n');
  if (!trimmed.startsWith(FENCE) || !trimmed.endsWith(FENCE) || begin === -1) return undefined;
  const label = trimmed.slice(FENCE.length, begin).trim().toLowerCase();
  return label === '' || label === 'json' ? trimmed.slice(begin + 1, -FENCE.length) : undefined;
}

function isProse(text: string): boolean {
  return text.trim() !== '' && !/[{[]/.test(text);
}

/** A path through the author's own names is told; one through names that the model made up is not. */
function describe({ field, problem }: FieldProblem, schema: object): string {
  const known = JSON.stringify(schema);
  const authored = field
    .split('.')
    .every((part) => /^\d+$/.test(part) || known.includes(`${JSON.stringify(part)}:`));
  if (field === '') return `the answer ${problem}`;
  return authored ? `${field} ${problem}` : `a field that the schema does not name ${problem}`;
}
