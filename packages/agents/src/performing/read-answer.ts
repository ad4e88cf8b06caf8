import { type FieldProblem, type Json, problemByAuthor, toJson } from '@baton/protocol';

/**
 * Reads the answer of a model, which is data from outside. Its length is bounded, it must be strict JSON, and
 * it must match the schema of the author. A description of a problem never repeats parts of the answer.
 */

/** Longer answers are refused, because an event could not hold them. */
export const MAX_ANSWER_CHARACTERS = 256 * 1024;

type ReadAnswer = { readonly unfenced: boolean } & (
  | { readonly kind: 'valid'; readonly value: Json }
  | {
      readonly kind: 'invalid';
      readonly reason: 'parse-error' | 'schema-violation';
      readonly problem: string;
      /** True for text without JSON. The model may have answered, but not in the required form. */
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

/** The content of a code fence, when the whole answer is one code fence. */
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

/** A field is named only when its path has names of the schema. Names from the model are not repeated. */
function describe({ field, problem }: FieldProblem, schema: object): string {
  const known = JSON.stringify(schema);
  const authored = field
    .split('.')
    .every((part) => /^\d+$/.test(part) || known.includes(`${JSON.stringify(part)}:`));
  if (field === '') return `the answer ${problem}`;
  return authored ? `${field} ${problem}` : `a field that the schema does not name ${problem}`;
}
