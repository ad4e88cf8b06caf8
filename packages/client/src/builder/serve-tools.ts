import { isJsonObject, type Json, type JsonObject } from '@baton/protocol';
import { InvalidValue } from './schema.ts';
import { type ToolDefinition, ToolRefusal } from './tool.ts';

/** One line of JSON-RPC after the other, as MCP has it over the standard input and output of a process. */
interface Lines {
  readonly input: AsyncIterable<string>;
  write(line: string): void;
}

/**
 * Offers tools to a host, as an MCP server on the standard input and output of this process. A host starts the process
 * if the file of `BATON_TOOLS` names it; `toolsFile` writes this file. The function resolves when the host has closed
 * the input.
 *
 * @example
 * import { serveTools, type ToolDefinition } from '@baton/client/builder';
 *
 * declare const refund: ToolDefinition;
 * await serveTools([refund]);
 */
export async function serveTools(tools: readonly ToolDefinition[], lines?: Lines): Promise<void> {
  const { input, write } = lines ?? (await standardLines());
  const answering = new Set<Promise<void>>();
  for await (const line of input) {
    if (line.trim() === '') continue;
    const answer = answerTo(tools, line).then((text) => {
      if (text !== undefined) write(text);
    });
    answering.add(answer);
    void answer.finally(() => answering.delete(answer));
  }
  await Promise.all(answering);
}

/** Loaded when it is needed, because the builder also works in a browser. */
async function standardLines(): Promise<Lines> {
  const [{ createInterface }, { stdin, stdout }] = await Promise.all([
    import('node:readline'),
    import('node:process'),
  ]);
  return {
    input: createInterface({ input: stdin }),
    write: (line) => void stdout.write(`${line}\n`),
  };
}

const PARSE_ERROR = -32_700;
const NO_METHOD = -32_601;

async function answerTo(tools: readonly ToolDefinition[], line: string): Promise<string | undefined> {
  const message = messageIn(line);
  if (message === undefined)
    return reply(null, { error: { code: PARSE_ERROR, message: 'This is not JSON.' } });
  const { id, method, params } = message;
  if (id === undefined) return undefined;
  const given = isJsonObject(params) ? params : {};
  switch (method) {
    case 'initialize':
      return reply(id, { result: introduction(tools, given) });
    case 'ping':
      return reply(id, { result: {} });
    case 'tools/list':
      return reply(id, { result: { tools: tools.map(listed) } });
    case 'tools/call':
      return reply(id, { result: await called(tools, given) });
    default:
      return reply(id, { error: { code: NO_METHOD, message: `There is no method ${String(method)}.` } });
  }
}

function messageIn(line: string): JsonObject | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return isJsonObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

function reply(id: Json, answer: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, ...answer });
}

const FORMER_VERSION = '2025-06-18';

function introduction(tools: readonly ToolDefinition[], { protocolVersion }: JsonObject): JsonObject {
  return {
    protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : FORMER_VERSION,
    capabilities: { tools: {} },
    serverInfo: { name: tools[0]?.server ?? 'tools', version: '1.0.0' },
  };
}

function listed({ name, description, parameters, readOnly, repeatable }: ToolDefinition): JsonObject {
  return {
    name,
    description,
    inputSchema: parameters,
    annotations: { readOnlyHint: readOnly, idempotentHint: repeatable === 'yes' },
  };
}

async function called(
  tools: readonly ToolDefinition[],
  { name, arguments: given }: JsonObject,
): Promise<JsonObject> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return said(`There is no tool ${String(name)}.`, true);
  try {
    return said(JSON.stringify(await tool.call(given ?? {})), false);
  } catch (error) {
    return said(refusalIn(error), true);
  }
}

/** The words that a model is told. The message of an exception may hold anything, for example an address or a key. */
export function refusalIn(error: unknown): string {
  if (error instanceof ToolRefusal) return error.message;
  return error instanceof InvalidValue
    ? `The arguments are not valid: ${error.message}.`
    : 'The tool failed because of a defect.';
}

function said(text: string, isError: boolean): JsonObject {
  return { content: [{ type: 'text', text }], ...(isError && { isError }) };
}
