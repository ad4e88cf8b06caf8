import type { ToolCall } from '@baton/engine/ports';
import { isoTime, type Json, type JsonObject, toJson } from '@baton/protocol';
import type { Static, TSchema } from 'typebox';
import Type from 'typebox';
import { calculate } from './calculate.ts';
import type { ConnectedTool } from './connected-tool.ts';
import { FetchRefusal, fetchFailure } from './fetch-refusal.ts';
import type { Fetch } from './guarded-fetch.ts';
import { modelName } from './tool-ids.ts';
import { failed, ok } from './tool-results.ts';
import type { Repeatable } from './tools-config.ts';

const closed = { additionalProperties: false };
const READABLE = /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|javascript|xhtml))/i;
const FETCH_TIMEOUT_MS = 30_000;

/** The tools that every host has. They need no configuration, and an agent has them only if its allow-list says so. */
export function builtInTools(fetch: Fetch, now: () => number): readonly ConnectedTool[] {
  return [
    nativeTool({
      id: 'baton:time',
      description: 'The present time in UTC.',
      parameters: Type.Object({}, closed),
      repeatable: 'yes',
      run: () => ({ time: isoTime(now()) }),
    }),
    nativeTool({
      id: 'baton:calculate',
      description: 'The value of an arithmetic expression, for example "(3 + 4) * 2.5".',
      parameters: Type.Object({ expression: Type.String({ minLength: 1, maxLength: 1000 }) }, closed),
      repeatable: 'yes',
      run: ({ expression }) => ({ value: calculated(expression) }),
    }),
    nativeTool({
      id: 'baton:fetch',
      description: 'The text of a public web page or document.',
      parameters: Type.Object({ url: Type.String({ minLength: 1, maxLength: 8192 }) }, closed),
      repeatable: 'yes',
      run: async ({ url }, { signal }) => page(fetch, url, signal),
    }),
  ];
}

function calculated(expression: string): number {
  try {
    return calculate(expression);
  } catch (error) {
    throw error instanceof RangeError ? new ToolFailure(`The expression is wrong: ${error.message}.`) : error;
  }
}

async function page(fetch: Fetch, url: string, signal: AbortSignal) {
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]);
    const response = await fetch(url, { headers: { accept: 'text/*, application/json' }, signal: within });
    const contentType = response.headers.get('content-type') ?? 'text/plain';
    if (!READABLE.test(contentType)) {
      await response.body?.cancel();
      throw new ToolFailure('The address does not answer with text.');
    }
    return { url: response.url, status: response.status, contentType, text: await response.text() };
  } catch (error) {
    throw error instanceof ToolFailure ? error : new ToolFailure(whyNotFetched(error));
  }
}

function whyNotFetched(error: unknown): string {
  if (error instanceof FetchRefusal) return `The page was not fetched: ${error.message}.`;
  switch (fetchFailure(error)) {
    case 'timed-out':
      return 'The page was not fetched: the server did not answer in time.';
    case 'too-large':
      return 'The page was not fetched: it is too large.';
    default:
      return 'The page was not fetched: the server could not be reached.';
  }
}

/** A tool that is a function of this host. Its messages are for the model, so they hold nothing confidential. */
interface NativeTool<S extends TSchema> {
  /** `baton:` and the name. */
  readonly id: `baton:${string}`;
  readonly description: string;
  /** The schema of the arguments. They are checked before `run` is called. */
  readonly parameters: S;
  readonly repeatable: Repeatable;
  /** Throws a `ToolFailure` to tell the model what is wrong. */
  run(input: Static<S>, call: ToolCall): Json | Promise<Json>;
}

/** A failure that the model is told in these words. The message of any other exception is not passed on. */
class ToolFailure extends Error {}

function nativeTool<S extends TSchema>(tool: NativeTool<S>): ConnectedTool {
  const { id, description, parameters, repeatable } = tool;
  return {
    descriptor: {
      id,
      name: modelName(id),
      description,
      parameters: toJson(JSON.parse(JSON.stringify(parameters))) as JsonObject,
      transport: 'native',
      repeatable,
    },
    secrets: [],
    async run(call) {
      try {
        return ok(toJson(await tool.run(call.input as Static<S>, call)));
      } catch (error) {
        return failed('tool_failed', error instanceof ToolFailure ? error.message : undefined);
      }
    },
  };
}
