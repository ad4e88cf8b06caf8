import type { AskedTool, Effect, ToolDescriptor, ToolOutcome, Tools } from '@baton/engine/ports';
import { digest, isJsonObject, type Json, rootRunId } from '@baton/protocol';
import type { Performer } from '../effects.ts';

type ToolRequest = AskedTool & {
  readonly principal: string;
  readonly repeatable: ToolDescriptor['repeatable'];
  readonly traceparent?: string;
};

/**
 * Performs tool calls. A call that was intended before the host stopped is repeated only when the tool may be
 * repeated. Otherwise its outcome is unknown, and a person is asked.
 */
export function toolCalls(tools: Pick<Tools, 'call'>, now: () => number): Performer {
  return async (effect, { signal }) => {
    const { tool, input, principal, repeatable, key, traceparent } = effect.request as unknown as ToolRequest;
    if (effect.again && repeatable !== 'yes') return outcome({ status: 'unknown' });
    const began = now();
    const result = await tools.call({
      id: tool,
      input: isJsonObject(input) ? input : {},
      tenant: effect.tenant,
      principal,
      key: key ?? effect.key,
      traceparent: traceOf(effect, traceparent),
      signal,
    });
    return outcome({ ...result, durationMs: Math.max(0, Math.round(now() - began)) });
  };
}

/**
 * The trace of the run, with a span for this call. Both follow from recorded values, so a repeated call has the same
 * ones. A run without a trace is the root of one.
 */
function traceOf({ runId, key }: Effect, given: string | undefined): string {
  const trace = given?.split('-')[1] ?? digest(rootRunId(runId)).slice(0, 32);
  return `00-${trace}-${digest(key).slice(0, 16)}-01`;
}

function outcome(outputs: ToolOutcome) {
  return { kind: 'done' as const, outputs: outputs as unknown as Readonly<Record<string, Json>> };
}
