import {
  type Json,
  type JsonObject,
  llmCacheKey,
  type ModelMessage,
  type ModelRequest,
} from '@baton/protocol';
import type { ToolOutcome } from '../../ports/agent-effects.ts';
import type { ModelOutcome } from '../../ports/model-outcome.ts';
import type { ToolResultPart } from '../../ports/said-parts.ts';
import { withheldResult } from './critics/judged-calls.ts';
import type { Invocation } from './invocation.ts';
import { systemText, taskText, textOf, untrusted } from './prompt.ts';
import { resultSchema } from './result-schema.ts';
import { type AskedModel, type ModelTurn, type Revision, resultOf, turnsOf } from './rounds.ts';
import { surfaceOf } from './surface.ts';

/**
 * Builds the request of a model call from the effects before it. The same log always gives the same bytes, and
 * every tool call has a result, because vendors refuse a conversation in which one is missing.
 */
export function requestAt(invocation: Invocation, asked: AskedModel, step: number): ModelRequest {
  const { agent } = invocation;
  const before = turnsOf(invocation.steps.filter((one) => one.step < step));
  const { phase, provider, model, maxOutputTokens } = asked;
  const schema = phase === 'form' ? resultSchema(invocation) : undefined;
  const tools = phase === 'round' ? surfaceOf(invocation) : [];
  return {
    provider,
    model,
    messages: messagesOf(invocation, before, asked),
    maxOutputTokens,
    ...(agent.temperature !== undefined && { temperature: agent.temperature }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        name,
        ...(description !== undefined && { description }),
        parameters,
      })),
    }),
    ...(schema && { responseFormat: { type: 'json' as const, schema } }),
    ...(agent.script && { providerOptions: { 'vendor.scripted.script': [...agent.script] as Json } }),
  };
}

export function cacheKeyOf(invocation: Invocation, asked: AskedModel, step: number): string {
  return llmCacheKey(requestAt(invocation, asked, step));
}

function messagesOf(invocation: Invocation, turns: readonly ModelTurn[], next: AskedModel): ModelMessage[] {
  const { asked } = invocation;
  const messages: ModelMessage[] = [
    { role: 'system', content: systemText(invocation) },
    ...(asked.history ?? []),
    { role: 'user', content: taskText(invocation) },
  ];
  turns.forEach((turn, at) => {
    messages.push(...afterTurn(invocation, turn));
    const { revision, problem } = turns[at + 1]?.asked ?? next;
    if (revision) messages.push(...sentBack(turn, revision));
    if (problem !== undefined) messages.push(correction(problem));
  });
  const last = turns.at(-1);
  const isTold = next.revision !== undefined || next.problem !== undefined;
  if (next.phase === 'form' && !isTold && last?.outcome?.result.kind === 'said') {
    messages.push({ role: 'user', content: 'Give your result now, in the required form and without tools.' });
  }
  return messages;
}

function afterTurn(invocation: Invocation, { outcome, calls }: ModelTurn): readonly ModelMessage[] {
  if (outcome === undefined) return [];
  const { result } = outcome;
  if (result.kind === 'invalid') return [correction(result.problem)];
  if (result.kind !== 'said') return [];
  const said = { role: 'assistant' as const, content: (outcome.parts ?? []) as unknown as JsonObject[] };
  if (calls.length === 0) return isEmpty(outcome) ? [] : [said];
  const content = calls.map((call): ToolResultPart => {
    const { part } = call;
    const result = resultOf(call);
    const withheld = withheldResult(invocation, call, result);
    const isError = result?.status !== 'ok' || withheld !== undefined;
    return {
      type: 'tool-result',
      id: part.id,
      name: part.name,
      output: withheld ?? toldOf(result),
      ...(isError && { isError: true as const }),
    };
  });
  return [said, { role: 'tool', content: content as unknown as JsonObject[] }];
}

/** The judged result, where it is no text of the conversation, and what the critic asks for. */
function sentBack({ outcome }: ModelTurn, { criteria = [], feedback }: Revision): readonly ModelMessage[] {
  const given: ModelMessage[] =
    outcome?.result.kind === 'valid' ? [{ role: 'assistant', content: textOf(outcome.data) }] : [];
  const by = criteria.length === 0 ? '' : ` by these criteria: ${criteria.join(', ')}`;
  const why = feedback === undefined ? '' : ` The feedback of the critic: ${untrusted(feedback)}`;
  const content = `A critic judged your result${by}, and asks you to revise it.${why} Give the whole result again.`;
  return [...given, { role: 'user', content }];
}

function isEmpty({ parts = [] }: ModelOutcome): boolean {
  return parts.length === 0;
}

/** The host's own words. The answer of the model is not repeated. */
function correction(problem: string): ModelMessage {
  const content = `Your last answer was not accepted: ${problem}. Answer again, in the required form and with nothing else.`;
  return { role: 'user', content };
}

function toldOf(result: ToolOutcome | undefined): Json {
  if (result === undefined) return 'The call was interrupted. Its outcome is not known.';
  switch (result.status) {
    case 'ok':
      return untrusted(textOf(result.output));
    case 'error':
      return `The tool failed: ${untrusted(result.error.message)}`;
    case 'rate_limited':
      return 'The tool was called too often and was not called now. Go on without it, or try it later.';
    case 'forbidden':
      return `The tool was not called: ${result.reason ?? 'it is not allowed'}.`;
    case 'unknown':
      return 'The call was interrupted. Its outcome is not known.';
  }
}
