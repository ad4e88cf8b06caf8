import type { ModelAnswer, ModelOutcome, ModelText } from '@baton/engine/ports';
import {
  type FieldProblem,
  type Json,
  type ModelMessage,
  type ModelRequest,
  problemByAuthor,
  toJson,
} from '@baton/protocol';

/** Reads the answer of a model to a request, and says whether it is valid. */
export function judgeAnswer(
  request: ModelRequest,
  answer: Exclude<ModelAnswer, { kind: 'error' }>,
  reused: boolean,
): ModelOutcome {
  const { usage, substitute } = answer;
  const { notes } = answer.kind === 'text' ? answer : {};
  const made = {
    ...(usage && { usage: { ...usage } }),
    ...(reused && { reused }),
    ...(substitute && { substitute: { ...substitute } }),
    ...(notes && notes.length > 0 && { notes: notes.slice(0, MOST_NOTES) }),
  };
  if (answer.kind === 'refusal') {
    const text = answer.text === undefined ? undefined : recordableRefusal(answer.text, request.messages);
    const { category } = answer;
    const said = { ...(text !== undefined && { text }), ...(category !== undefined && { category }) };
    return { result: { kind: 'refused', ...said }, ...made };
  }
  const { stopReason } = answer;
  if (stopReason !== 'end') return { result: { kind: 'truncated', stopReason }, ...made };
  if (request.responseFormat?.type !== 'json') return saidBy(answer, made);
  const thoughts = answer.parts?.filter(({ type }) => type === 'reasoning') ?? [];
  const read = readAnswer(answer.text, request.responseFormat.schema ?? {});
  const noted = {
    ...made,
    ...(read.unfenced && { unfenced: true }),
    ...(thoughts.length > 0 && { parts: thoughts }),
  };
  if (read.kind === 'valid') return { result: { kind: 'valid' }, ...noted, data: read.value };
  const { kind, reason, problem, prose } = read;
  return prose
    ? { result: { kind, reason, problem, prose }, ...noted, data: answer.text }
    : { result: { kind, reason, problem }, ...noted };
}

const MOST_NOTES = 20;

/** An answer without a required form. One that is too long for an event is not used. */
function saidBy({ text, parts }: ModelText, made: Partial<ModelOutcome>): ModelOutcome {
  const said = parts ?? (text === '' ? [] : [{ type: 'text' as const, text }]);
  if (JSON.stringify(said).length > MAX_ANSWER_CHARACTERS) {
    const problem = `the answer is longer than ${MAX_ANSWER_CHARACTERS} characters`;
    return { result: { kind: 'invalid', reason: 'parse-error', problem }, ...made };
  }
  return { result: { kind: 'said' }, ...made, parts: [...said] };
}

const MAX_CHARACTERS = 2000;
const WINDOW = 16;
const STRIDE = 8;

/**
 * The text of a refusal as it is recorded. It is shortened, and left out when it repeats a part of the
 * request. Any 23 characters in common contain a whole window, so every longer repetition is found.
 */
function recordableRefusal(text: string, messages: readonly ModelMessage[]): string | undefined {
  const said = text.slice(0, MAX_CHARACTERS);
  const asked = JSON.stringify(messages.map((message) => message.content));
  for (let at = 0; at + WINDOW <= said.length; at += STRIDE) {
    // Escaped in the same way as the text that is searched.
    const piece = JSON.stringify(said.slice(at, at + WINDOW)).slice(1, -1);
    if (asked.includes(piece)) return undefined;
  }
  return said;
}

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
