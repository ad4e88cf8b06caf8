import {
  type ConnectedTools,
  connectTools,
  type McpServerConfig,
  NO_TOOLS,
  type ToolsConfig,
  type ToolsOptions,
} from '@baton/agents';
import type { ToolCall } from '@baton/engine/ports';
import { eventually } from '../eventually.ts';

/** Tools as a host connects them, with time that passes quickly: every wait is a few milliseconds. */
export function connect(config: Partial<ToolsConfig>, options: Partial<ToolsOptions> = {}) {
  const logged: string[] = [];
  const tools: ConnectedTools = connectTools(
    { ...NO_TOOLS, ...config },
    {
      secretOf: () => undefined,
      log: { warn: (details, message) => logged.push(`${message} ${JSON.stringify(details)}`) },
      timers: {
        after(ms, run) {
          const timer = setTimeout(run, Math.min(ms, 5));
          return () => clearTimeout(timer);
        },
      },
      ...options,
    },
  );
  return { tools, logged };
}

export function mcpServer(
  name: string,
  connection: McpServerConfig['connection'],
  more: Partial<McpServerConfig> = {},
): McpServerConfig {
  return { name, connection, approval: [], repeatable: {}, scopes: {}, timeoutMs: 20_000, ...more };
}

export function stdio(args: readonly string[]) {
  return { kind: 'stdio', command: process.execPath, args, env: {} } as const;
}

export function toolCall(id: string, input: ToolCall['input'] = {}, more: Partial<ToolCall> = {}): ToolCall {
  return {
    id,
    input,
    tenant: 'acme',
    principal: 'ada',
    key: 'run-1:node:1:1:3',
    signal: new AbortController().signal,
    ...more,
  };
}

/** Asks again and again until the answer is the wanted one. */
export function until<T>(ask: () => T | Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  return eventually(async () => {
    const answer = await ask();
    if (!wanted(answer)) throw new Error(`The last answer was ${JSON.stringify(answer)}.`);
    return answer;
  });
}
