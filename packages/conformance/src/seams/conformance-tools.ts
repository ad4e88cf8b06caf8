import type { ToolDescriptor, ToolResult, Tools } from '@baton/engine/ports';
import { isJsonObject, type JsonObject } from '@baton/protocol';

/** Tools that only conformance suites use. The id of such a tool says how it behaves. */

const PREFIX = 'conformance:';

/** Which scopes the tool needs, and whether its calls fail. */
export interface ConformanceTool {
  readonly requiredScopes?: readonly string[];
  readonly simulateRateLimitExhausted?: boolean;
  readonly simulateToolError?: boolean;
}

export const CONFORMANCE_TOOL_NAME = 'conformance_tool';

export function conformanceTool(behaviour: ConformanceTool): string {
  return `${PREFIX}${Buffer.from(JSON.stringify(behaviour)).toString('base64url')}`;
}

/** The tools of the host, and those of conformance suites. */
export function withConformanceTools<T extends Tools>(tools: T): T {
  return {
    ...tools,
    async surface(tenant, allowed) {
      const own = allowed.filter((id) => !id.startsWith(PREFIX));
      const surface = await tools.surface(tenant, own);
      const more = allowed.filter((id) => id.startsWith(PREFIX)).map(descriptorOf);
      return { ...surface, tools: [...surface.tools, ...more] };
    },
    async call(call) {
      return call.id.startsWith(PREFIX) ? resultOf(behaviourOf(call.id)) : tools.call(call);
    },
  };
}

function behaviourOf(id: string): ConformanceTool {
  const given: unknown = JSON.parse(Buffer.from(id.slice(PREFIX.length), 'base64url').toString());
  return isJsonObject(given as JsonObject) ? (given as ConformanceTool) : {};
}

function descriptorOf(id: string): ToolDescriptor {
  const { requiredScopes = [] } = behaviourOf(id);
  return {
    id,
    name: CONFORMANCE_TOOL_NAME,
    parameters: { type: 'object' },
    transport: 'native',
    repeatable: 'yes',
    scopes: [...requiredScopes],
  };
}

function resultOf({ simulateRateLimitExhausted, simulateToolError }: ConformanceTool): ToolResult {
  if (simulateRateLimitExhausted) return { status: 'rate_limited' };
  if (simulateToolError) {
    return {
      status: 'error',
      error: { code: 'conformance_tool_error', message: 'The tool was told to fail.' },
    };
  }
  return { status: 'ok', output: 'done' };
}
