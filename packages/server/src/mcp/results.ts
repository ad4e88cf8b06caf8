import type { JsonObject } from '@baton/protocol';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { McpCall } from './call.ts';
import { handleOf, outputsOf, type ShownRun } from './shown-run.ts';

/** Results of tool calls. Each has its data as structured content, and a text for clients that read only texts. */

export function resultWith(data: JsonObject, text = JSON.stringify(data)): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: data };
}

/** The end of a run: its outputs, or the code and the message of its error. */
export function endOf(call: McpCall, run: ShownRun): CallToolResult {
  const { outputs, meta } = outputsOf(call, run);
  if (outputs) return { ...resultWith(outputs), _meta: meta };
  const { runId, status } = run.row;
  const { code, message } = run.snapshot.error ?? {
    code: status,
    message: `The run ${runId} was ${status}.`,
  };
  return { ...failure(code, message, { runId, status }), _meta: meta };
}

/** The run goes on without the call. */
export function detached(run: ShownRun, text: string): CallToolResult {
  return resultWith(handleOf(run), text);
}

export function failure(code: string, message: string, more: JsonObject = {}): CallToolResult {
  return {
    ...resultWith({ error: { code, message }, ...more }, `${code}: ${message}`),
    isError: true,
  };
}
