import { minimalInstance } from '@baton/agents';
import type { ModelAnswer, ModelCall, ModelProvider, TokenUsage } from '@baton/engine/ports';
import type { ModelRequest } from '@baton/protocol';

/**
 * A provider without a model. It gives the answers that were programmed, or else the smallest answer that
 * fits the schema. Its answers cost nothing, so a replay may ask it again.
 */
export interface MockModel extends ModelProvider {
  /** Sets the answers for a node of the tenant, one for each call. The last one is repeated. */
  program(tenant: string, nodeId: string, entries: readonly MockEntry[]): void;
  reset(tenant: string): void;
}

export const STOP_REASONS = [
  'end_turn',
  'stop',
  'stop_sequence',
  'tool_use',
  'max_tokens',
  'length',
  'safety',
  'refusal',
  'content_filter',
] as const;

export interface MockEntry {
  readonly content?: string;
  readonly stopReason?: (typeof STOP_REASONS)[number];
  readonly refusalText?: string;
}

/** Unused programs must not be kept for ever. The oldest is removed first. */
const MAX_PROGRAMS = 1000;

export function createMockModel(): MockModel {
  const programs = new Map<string, { readonly tenant: string; readonly left: MockEntry[] }>();
  const named = (tenant: string, nodeId: string) => JSON.stringify([tenant, nodeId]);

  function nextEntry({ tenant, nodeId }: ModelCall): MockEntry | undefined {
    const left = programs.get(named(tenant, nodeId))?.left ?? [];
    return left.length > 1 ? left.shift() : left[0];
  }

  return {
    reexecutable: true,
    ask: async (call) => {
      const entry = nextEntry(call) ?? { content: fitting(call.request) };
      return answerWith(entry, call.request);
    },
    program(tenant, nodeId, entries) {
      const name = named(tenant, nodeId);
      programs.delete(name);
      programs.set(name, { tenant, left: [...entries] });
      const [oldest] = programs.keys();
      if (programs.size > MAX_PROGRAMS && oldest !== undefined) programs.delete(oldest);
    },
    reset(tenant) {
      for (const [name, program] of programs) if (program.tenant === tenant) programs.delete(name);
    },
  };
}

function answerWith(
  { content = '', stopReason, refusalText }: MockEntry,
  request: ModelRequest,
): ModelAnswer {
  const usage = usageOf(request, content);
  switch (stopReason) {
    case 'safety':
    case 'refusal':
    case 'content_filter':
      return { kind: 'refusal', text: refusalText ?? content, usage };
    case 'max_tokens':
    case 'length':
      return { kind: 'text', text: content, stopReason, usage };
    default:
      if (refusalText !== undefined) return { kind: 'refusal', text: refusalText, usage };
      return { kind: 'text', text: content, stopReason: 'end', usage };
  }
}

function fitting({ responseFormat }: ModelRequest): string {
  if (responseFormat?.type !== 'json') return 'mock';
  return JSON.stringify(minimalInstance(responseFormat.schema ?? {}));
}

/** About as many tokens as a real model would count, and always the same number for the same texts. */
function usageOf({ messages }: ModelRequest, said: string): TokenUsage {
  const asked = JSON.stringify(messages.map((message) => message.content));
  return { inputTokens: Math.ceil(asked.length / 4), outputTokens: Math.ceil(said.length / 4) };
}
