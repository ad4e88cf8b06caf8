import type { Json, JsonObject } from '@baton/protocol';
import { jsonSchemaOf, parsed, type Schema } from './schema.ts';

/** A call of a tool, as its function sees it. */
export interface ToolContext {
  /** Aborted when the result is no longer awaited. */
  readonly signal: AbortSignal;
}

export interface ToolOptions<Input, Output> {
  /** The server that offers the tool, as the file of `BATON_TOOLS` names it: letters, digits and dashes. */
  readonly server: string;
  readonly name: string;
  readonly description: string;
  /** The schema of the arguments. The function gets the value that the schema makes of them. */
  readonly input: Schema<unknown, Input>;
  /** A person must approve each call. */
  readonly approval?: boolean;
  /** Whether a call may be repeated when its outcome was lost. `unknown` if absent: a person is asked. */
  readonly repeatable?: 'yes' | 'no' | 'unknown';
  /** The tool changes nothing. */
  readonly readOnly?: boolean;
  /** Scopes that a run must have to call the tool. */
  readonly scopes?: readonly string[];
  /** Throws a `ToolRefusal` to tell the model what is wrong. */
  run(input: Input, context: ToolContext): Output | Promise<Output>;
}

/** A tool that is a function, with the JSON Schema of its arguments. */
export interface ToolDefinition {
  /** As in the list of tools of an agent: `mcp:shop/refund` for the tool `refund` of the server `shop`. */
  readonly id: `mcp:${string}/${string}`;
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly approval: boolean;
  readonly repeatable: 'yes' | 'no' | 'unknown';
  readonly readOnly: boolean;
  readonly scopes: readonly string[];
  /** Checks the arguments and calls the function. */
  call(input: unknown, context?: ToolContext): Promise<Json>;
}

/** A failure that the model is told in these words. The message of any other exception is not passed on. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
}

const SERVER = /^(?!(?:http|baton|handoff)$)[A-Za-z0-9-]{1,32}$/;
const NAME = /^[A-Za-z0-9_-]{1,56}$/;

/**
 * Defines a tool that is a function. A host calls it through a server of the author: see `serveTools`.
 *
 * @example
 * import { defineTool, ToolRefusal } from '@baton/client/builder';
 * import * as z from 'zod';
 *
 * export const refund = defineTool({
 *   server: 'shop',
 *   name: 'refund',
 *   description: 'Pays money back to the customer. It cannot be undone.',
 *   input: z.object({ order: z.string(), amount: z.number().positive() }),
 *   approval: true,
 *   repeatable: 'no',
 *   run({ order, amount }) {
 *     if (amount > 100) throw new ToolRefusal('At most 100 can be refunded.');
 *     return { order, refunded: amount };
 *   },
 * });
 */
export function defineTool<Input, Output>(options: ToolOptions<Input, Output>): ToolDefinition {
  const { server, name, description, approval = false, readOnly = false, scopes = [] } = options;
  if (!SERVER.test(server))
    throw new TypeError(
      `The server "${server}" of a tool needs a name of 1 to 32 letters, digits and dashes, other than http, baton and handoff.`,
    );
  if (!NAME.test(name))
    throw new TypeError(
      `The tool "${name}" needs a name of 1 to 56 letters, digits, dashes and underscores.`,
    );
  const parameters = jsonSchemaOf(options.input, 'input', `tool ${name}`);
  if (parameters.type !== 'object')
    throw new TypeError(`The arguments of the tool "${name}" have to be an object.`);
  return {
    id: `mcp:${server}/${name}`,
    ...{ server, name, description, parameters, approval, readOnly, scopes },
    repeatable: options.repeatable ?? (readOnly ? 'yes' : 'unknown'),
    async call(input, context = { signal: new AbortController().signal }) {
      const output = await options.run(await parsed(options.input, input), context);
      return output === undefined ? null : (JSON.parse(JSON.stringify(output)) as Json);
    },
  };
}
