import { builtInTools, modelName } from '@baton/agents';
import type { ToolDescriptor, ToolResult, Tools } from '@baton/engine/ports';
import { matchesTool, problemByAuthor, runError } from '@baton/protocol';
import { refusalIn } from '../builder/serve-tools.ts';
import type { ToolDefinition } from '../builder/tool.ts';

interface TestTool {
  readonly descriptor: ToolDescriptor;
  call(...given: Parameters<Tools['call']>): Promise<ToolResult>;
}

/** The tools of a test: the functions that it was given, and the built-in tools of a host. None reaches the network. */
export function toolsInProcess(given: readonly ToolDefinition[], now: () => number): Tools {
  const tools = new Map([...builtIn(now), ...given.map(ofAuthor)].map((tool) => [tool.descriptor.id, tool]));
  return {
    async surface(_tenant, allowed) {
      const all = [...tools.values()].map(({ descriptor }) => descriptor);
      const found = all.filter(({ id }) => allowed.some((pattern) => matchesTool(pattern, id)));
      const degraded = allowed.filter((pattern) => !found.some(({ id }) => matchesTool(pattern, id)));
      return {
        tools: found.sort((one, other) => (one.id < other.id ? -1 : 1)),
        degraded: [...degraded].sort(),
      };
    },
    async call(call) {
      const tool = tools.get(call.id);
      if (tool === undefined) return { status: 'error', error: runError('tool_not_found') };
      const problem = problemByAuthor(tool.descriptor.parameters, call.input);
      if (problem === undefined) return tool.call(call);
      const where = problem.field === '' ? 'The arguments' : `The argument ${problem.field}`;
      const message = `The tool was not called. ${where}: ${problem.problem}.`;
      return { status: 'error', error: runError('input_invalid', message) };
    },
  };
}

function builtIn(now: () => number): readonly TestTool[] {
  const offline = () => Promise.reject(new Error('a test does not reach the network'));
  return builtInTools(offline, now).map(({ descriptor, run }) => ({ descriptor, call: run }));
}

function ofAuthor(tool: ToolDefinition): TestTool {
  const { id, description, parameters, approval, repeatable, scopes } = tool;
  return {
    descriptor: {
      id,
      name: modelName(id),
      description,
      parameters,
      transport: 'mcp',
      repeatable,
      ...(approval && { approval: 'always' }),
      ...(scopes.length > 0 && { scopes: [...scopes] }),
    },
    async call({ input, signal }) {
      try {
        return { status: 'ok', output: await tool.call(input, { signal }) };
      } catch (error) {
        return { status: 'error', error: runError('tool_failed', refusalIn(error)) };
      }
    },
  };
}
