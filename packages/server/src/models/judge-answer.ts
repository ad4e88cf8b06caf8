import type { ModelAnswer, ModelOutcome } from '@baton/engine/ports';
import type { ModelRequest } from '@baton/protocol';
import { readAnswer } from './read-answer.ts';
import { recordableRefusal } from './refusal-text.ts';

/** Reads the answer of a model to a request, and says whether it is valid. */
export function judgeAnswer(
  request: ModelRequest,
  answer: Exclude<ModelAnswer, { kind: 'error' }>,
  reused: boolean,
): ModelOutcome {
  const { usage } = answer;
  const made = { ...(usage && { usage }), ...(reused && { reused }) };
  if (answer.kind === 'refusal') {
    const text = answer.text === undefined ? undefined : recordableRefusal(answer.text, request.messages);
    const { category } = answer;
    const said = { ...(text !== undefined && { text }), ...(category !== undefined && { category }) };
    return { result: { kind: 'refused', ...said }, ...made };
  }
  const { stopReason } = answer;
  if (stopReason !== 'end') return { result: { kind: 'truncated', stopReason }, ...made };
  const read = readAnswer(answer.text, request.responseFormat?.schema ?? {});
  const noted = { ...made, ...(read.unfenced && { unfenced: true }) };
  if (read.kind === 'valid') return { result: { kind: 'valid' }, ...noted, data: read.value };
  const { kind, reason, problem, prose } = read;
  return prose
    ? { result: { kind, reason, problem, prose }, ...noted, data: answer.text }
    : { result: { kind, reason, problem }, ...noted };
}
