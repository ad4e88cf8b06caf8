import { isJsonObject, type Json, type JsonObject } from '@baton/protocol';
import { effectKey } from '../kernel/effect-key.ts';
import type { EffectStep, Run } from '../kernel/run.ts';
import { MODEL_CALL, TOOL_CALL } from '../ports/agent-effects.ts';
import { type EndedSpan, idOf, type SpanAttributes, spanOf, workSpanId } from './span.ts';

/** The spans of calls to the outside: models, tools and others. */

interface Settled {
  readonly nodeId: string;
  readonly endedAt: number;
  /** The recorded outcome. Absent when the effect failed, or when it was no longer awaited. */
  readonly outputs?: JsonObject | undefined;
  readonly error?: string | undefined;
}

export function keyOfStep(run: Run, nodeId: string, step: number): string {
  const { execution = 0, attempt = 0 } = run.nodes[nodeId] ?? {};
  return effectKey(run, { nodeId, execution, attempt, step });
}

export function effectSpan(
  run: Run,
  step: EffectStep,
  { nodeId, endedAt, outputs, error }: Settled,
): EndedSpan {
  const { kind, request } = step.effect;
  const asked = isJsonObject(request) ? request : {};
  const described = describe(kind, asked, outputs ?? {});
  return spanOf(run, {
    spanId: idOf('effect', keyOfStep(run, nodeId, step.step)),
    parentSpanId: workSpanId(run, nodeId),
    startedAt: step.intendedAt,
    endedAt,
    ...described,
    attributes: {
      'baton.node.id': nodeId,
      'baton.effect.kind': kind,
      'baton.effect.tries': step.tries,
      ...described.attributes,
    },
    error: error ?? described.error,
  });
}

type Described = Pick<EndedSpan, 'name' | 'kind' | 'attributes' | 'error'>;

function describe(kind: string, request: JsonObject, outputs: JsonObject): Described {
  switch (kind) {
    case MODEL_CALL:
      return modelCall(request, outputs);
    case TOOL_CALL:
      return toolCall(request, outputs);
    default:
      return { name: `effect ${kind}`, kind: 'client', attributes: {} };
  }
}

const FINISH_REASONS: Readonly<Record<string, string>> = { refused: 'content_filter', truncated: 'length' };

function modelCall(request: JsonObject, outputs: JsonObject): Described {
  const provider = textOf(request.provider) ?? 'unknown';
  const model = textOf(request.model) ?? 'unknown';
  const usage = objectOf(outputs.usage);
  const substitute = objectOf(outputs.substitute);
  const result = textOf(objectOf(outputs.result).kind);
  return {
    name: `chat ${model}`,
    kind: 'client',
    attributes: present({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': PROVIDER_NAMES[provider] ?? provider,
      'gen_ai.request.model': model,
      'gen_ai.request.max_tokens': numberOf(request.maxOutputTokens),
      'gen_ai.request.temperature': numberOf(request.temperature),
      'gen_ai.output.type': textOf(objectOf(request.responseFormat).type),
      'gen_ai.response.model': textOf(substitute.model),
      'gen_ai.response.finish_reasons': result === undefined ? undefined : [FINISH_REASONS[result] ?? 'stop'],
      'gen_ai.usage.input_tokens': numberOf(usage.inputTokens),
      'gen_ai.usage.output_tokens': numberOf(usage.outputTokens),
      'gen_ai.usage.cache_read.input_tokens': numberOf(usage.cacheReadTokens),
      'gen_ai.usage.cache_creation.input_tokens': numberOf(usage.cacheWriteTokens),
      'gen_ai.usage.reasoning.output_tokens': numberOf(usage.reasoningTokens),
      'baton.model.result': result,
      'baton.model.cost_usd': numberOf(outputs.costUsd),
      'baton.model.cached': outputs.reused === true ? true : undefined,
    }),
  };
}

/** Where the usual name of a provider in a models file is not that of the convention. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = { google: 'gcp.gemini' };

function toolCall(request: JsonObject, outputs: JsonObject): Described {
  const tool = textOf(request.tool) ?? 'unknown';
  const status = textOf(outputs.status);
  const failed = status === undefined || status === 'ok' ? undefined : status;
  return {
    name: `execute_tool ${tool}`,
    kind: 'internal',
    attributes: present({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.type': 'extension',
      'gen_ai.tool.call.id': textOf(request.callId),
    }),
    ...(failed !== undefined && { error: textOf(objectOf(outputs.error).code) ?? failed }),
  };
}

function present(given: Readonly<Record<string, SpanAttributes[string] | undefined>>): SpanAttributes {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as SpanAttributes;
}

/** A sealed value is a text in place of an object or a number, and is left out. */
function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
