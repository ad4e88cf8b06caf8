import type { ToolCall } from '@baton/engine/ports';
import { type Json, type JsonObject, toJson } from '@baton/protocol';
import type { Static, TSchema } from 'typebox';
import type { ConnectedTool } from './connected-tool.ts';
import { modelName } from './tool-ids.ts';
import { failed, ok } from './tool-results.ts';
import type { Repeatable } from './tools-config.ts';

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
export class ToolFailure extends Error {}

export function nativeTool<S extends TSchema>(tool: NativeTool<S>): ConnectedTool {
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
