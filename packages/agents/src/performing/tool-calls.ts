import type { AskedTool, ToolDescriptor, ToolOutcome, Tools } from '@baton/engine/ports';
import { isJsonObject, type Json, traceparentOfCall } from '@baton/protocol';
import type { Performer } from './perform-effects.ts';

type ToolRequest = AskedTool & {
  readonly principal: string;
  readonly repeatable: ToolDescriptor['repeatable'];
};

/**
 * Performs tool calls. A call that was intended before the host stopped is repeated only when the tool may be
 * repeated. Otherwise its outcome is unknown, and a person is asked.
 */
export function toolCalls(tools: Pick<Tools, 'call'>, now: () => number): Performer {
  return async (effect, { signal }) => {
    const { tool, input, principal, repeatable, key } = effect.request as unknown as ToolRequest;
    if (effect.again && repeatable !== 'yes') return outcome({ status: 'unknown' });
    const began = now();
    const result = await tools.call({
      id: tool,
      input: isJsonObject(input) ? input : {},
      tenant: effect.tenant,
      principal,
      key: key ?? effect.key,
      traceparent: traceparentOfCall(effect),
      signal,
    });
    return outcome({ ...result, durationMs: Math.max(0, Math.round(now() - began)) });
  };
}

function outcome(outputs: ToolOutcome) {
  return { kind: 'done' as const, outputs: outputs as unknown as Readonly<Record<string, Json>> };
}
