import { isJsonObject, type Json } from '@baton/protocol';
import type { Prepared } from '../../ports/agent-effects.ts';
import type { ToolDescriptor } from '../../ports/tools.ts';

/** A prepared agent that can be invoked. */
export interface Ready {
  readonly version?: string;
  readonly provider: string;
  readonly model: string;
  readonly tools: readonly ToolDescriptor[];
}

export function readyOf(
  { version, provider, model, tools = [] }: Prepared,
  chosen: Json | undefined,
): Ready | undefined {
  if (provider === undefined || model === undefined) return undefined;
  const target = { provider, model, ...choiceOf(chosen) };
  return { ...(version !== undefined && { version }), ...target, tools };
}

/**
 * The caller's choice was already used when the agent was prepared. It is used here for a branch that begins in the
 * middle of an invocation and chooses another model.
 */
function choiceOf(ai: Json | undefined): { readonly provider?: string; readonly model?: string } {
  if (!isJsonObject(ai) || typeof ai.model !== 'string') return {};
  const { provider, model } = ai;
  if (typeof provider === 'string') return { provider, model };
  const at = model.indexOf('/');
  return at === -1 ? { model } : { provider: model.slice(0, at), model: model.slice(at + 1) };
}
