import type { Prepared } from '../../ports/agent-effects.ts';
import type { ToolDescriptor } from '../../ports/tools.ts';

/** A prepared agent that can be invoked. */
export interface Ready {
  readonly version?: string;
  readonly provider: string;
  readonly model: string;
  readonly tools: readonly ToolDescriptor[];
}

export function readyOf({ version, provider, model, tools = [] }: Prepared): Ready | undefined {
  if (provider === undefined || model === undefined) return undefined;
  return { ...(version !== undefined && { version }), provider, model, tools };
}
