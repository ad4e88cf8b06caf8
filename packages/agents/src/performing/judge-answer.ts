import type { ModelAnswer, ModelOutcome, ModelText } from '@baton/engine/ports';
import type { ModelRequest } from '@baton/protocol';
import { MAX_ANSWER_CHARACTERS, readAnswer } from './read-answer.ts';
import { recordableRefusal } from './refusal-text.ts';

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
