import type { ModelAnswer, ModelAttempt, ModelOutcome, ModelText } from '@baton/engine/ports';
import type { Json, ModelRequest } from '@baton/protocol';
import { corrected, formatting, withMoreRoom } from './corrections.ts';
import { readAnswer } from './read-answer.ts';
import { recordableRefusal } from './refusal-text.ts';

/** Sends one request to a provider or to the cache. */
export type Ask = (request: ModelRequest) => Promise<{
  readonly cacheKey: string;
  readonly answer: ModelAnswer;
  readonly reused: boolean;
}>;

interface StructuredCall {
  readonly outcome: ModelOutcome;
  /** The accepted answer, unless it came from the cache. */
  readonly taken?: { readonly cacheKey: string; readonly answer: ModelText };
}

/**
 * Asks until an answer is valid, a refusal or an error ends the call, or all attempts are used. If every
 * answer was prose, one more call asks for the last one in the required form.
 */
export async function structuredCall(
  first: ModelRequest,
  attempts: number,
  ask: Ask,
): Promise<StructuredCall> {
  const made: Judged[] = [];
  let request: ModelRequest | undefined = first;
  while (request !== undefined && made.length < attempts) {
    const judged = await judge(request, ask);
    made.push(judged);
    const { result } = judged.attempt;
    if (result.kind === 'invalid') request = corrected(request, first, result.problem);
    else if (result.kind === 'truncated') request = withMoreRoom(request, judged.written);
    else return settled(made);
  }
  const prose = made.at(-1)?.prose;
  if (prose !== undefined && made.every((judged) => judged.prose !== undefined)) {
    const judged = await judge(formatting(first, prose), ask);
    made.push({ ...judged, attempt: { ...judged.attempt, formats: true } });
  }
  return settled(made);
}

interface Judged {
  readonly attempt: ModelAttempt;
  readonly value?: Json;
  readonly taken?: StructuredCall['taken'];
  readonly prose?: string;
  /** How many tokens the answer had. */
  readonly written: number;
}

function settled(made: readonly Judged[]): StructuredCall {
  const { value, taken } = made.at(-1) ?? {};
  const attempts = made.map((judged) => judged.attempt);
  return {
    outcome: { attempts, ...(value !== undefined && { value }) },
    ...(taken && { taken }),
  };
}

async function judge(request: ModelRequest, ask: Ask): Promise<Judged> {
  const { cacheKey, answer, reused } = await ask(request);
  if (answer.kind === 'error') {
    const { kind, error, retryable } = answer;
    return { attempt: { cacheKey, result: { kind, error, retryable } }, written: 0 };
  }
  const { usage } = answer;
  const made = { cacheKey, ...(usage && { usage }), ...(reused && { reused }) };
  const written = usage?.outputTokens ?? 0;
  if (answer.kind === 'refusal') {
    const text = answer.text === undefined ? undefined : recordableRefusal(answer.text, request.messages);
    const { category } = answer;
    const said = { ...(text !== undefined && { text }), ...(category !== undefined && { category }) };
    return { attempt: { ...made, result: { kind: 'refused', ...said } }, written };
  }
  const { stopReason } = answer;
  if (stopReason !== 'end')
    return { attempt: { ...made, result: { kind: 'truncated', stopReason } }, written };
  const read = readAnswer(answer.text, request.responseFormat?.schema ?? {});
  const noted = { ...made, ...(read.unfenced && { unfenced: true }) };
  if (read.kind === 'valid') {
    const attempt: ModelAttempt = { ...noted, result: { kind: 'valid' } };
    return { attempt, value: read.value, ...(!reused && { taken: { cacheKey, answer } }), written };
  }
  const { kind, reason, problem, prose } = read;
  return {
    attempt: { ...noted, result: { kind, reason, problem } },
    ...(prose && { prose: answer.text }),
    written,
  };
}
