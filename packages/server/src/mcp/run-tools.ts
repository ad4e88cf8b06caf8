import { BatonError, isJsonObject, type JsonObject, parse } from '@baton/protocol';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import Type, { type TSchema } from 'typebox';
import { requireScope } from '../auth/bearer.ts';
import { chooseSkill } from '../published/skills.ts';
import { answerRun } from './answer-run.ts';
import type { McpCall, RequestMeta } from './call.ts';
import { cancelRun } from './cancel-run.ts';
import { failure, resultWith } from './results.ts';
import { handleOf, outputsOf, readRun, shownRow } from './shown-run.ts';
import { startRun } from './start-run.ts';
import { OWN_PREFIX, workersFor } from './worker-tools.ts';

/** Tools that start a run, read it, answer it and cancel it, for callers that do not wait for its end. */

const RunId = Type.String({ minLength: 1, maxLength: 256 });
const Bag = Type.Unsafe<JsonObject>({ type: 'object' });
const closed = { additionalProperties: false };

const Start = Type.Object(
  {
    worker: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'The id of a published workflow or agent.',
    }),
    inputs: Type.Optional(Bag),
  },
  closed,
);
const OneRun = Type.Object({ runId: RunId }, closed);
const Answer = Type.Object(
  {
    runId: RunId,
    interruptId: Type.String({
      minLength: 1,
      maxLength: 1024,
      description: 'The question that is answered, as baton_get names it.',
    }),
    answer: Type.Unsafe<JsonObject>({
      type: 'object',
      description: 'For example {"action": "accept"}, or the answers by the ids of their questions.',
    }),
  },
  closed,
);

interface RunTool {
  readonly description: string;
  readonly inputs: TSchema;
  readonly annotations?: Tool['annotations'];
  perform(call: McpCall, given: unknown, meta: RequestMeta): Promise<CallToolResult>;
}

const RUN_TOOLS: Readonly<Record<string, RunTool>> = {
  start: {
    description: 'Starts a run and answers at once with its id. Read its result with baton_get.',
    inputs: Start,
    async perform(call, given, meta) {
      const { worker, inputs = {} } = parse(Start, given, 'arguments');
      const started = await startRun(call, chooseSkill(await workersFor(call), worker), inputs, meta);
      if ('rejected' in started) return failure(started.rejected.code, started.rejected.message);
      return told(call, started.runId);
    },
  },
  get: {
    description: 'The status of a run, and its outputs, its error or the question that it waits for.',
    inputs: OneRun,
    annotations: { readOnlyHint: true },
    async perform(call, given) {
      requireScope(call.identity, 'runs:read');
      const { runId } = parse(OneRun, given, 'arguments');
      return told(call, runId);
    },
  },
  answer: {
    description: 'Answers the question that a run waits for.',
    inputs: Answer,
    async perform(call, given) {
      const { runId, interruptId, answer } = parse(Answer, given, 'arguments');
      const { question, row } = await readRun(call, runId);
      if (question === undefined) {
        throw new BatonError('interrupt_gone', `The run does not wait for an answer; it is ${row.status}.`);
      }
      // Only one open interrupt is shown. The answer to another one of the run is taken as it is, without a voter.
      const asked =
        interruptId === question.interruptId ? question : ({ runId, interruptId, kind: 'approval' } as const);
      await answerRun(call, asked, answer);
      return told(call, runId);
    },
  },
  cancel: {
    description: 'Cancels a run.',
    inputs: OneRun,
    annotations: { destructiveHint: true, idempotentHint: true },
    async perform(call, given) {
      requireScope(call.identity, 'runs:cancel');
      const { runId } = parse(OneRun, given, 'arguments');
      await shownRow(call, runId);
      await cancelRun(call, runId, 'cancelled over MCP');
      return told(call, runId);
    },
  },
};

async function told(call: McpCall, runId: string): Promise<CallToolResult> {
  const run = await readRun(call, runId);
  const { outputs, meta } = outputsOf(call, run);
  return { ...resultWith(handleOf(run, outputs)), _meta: meta };
}

export function runTools(): readonly Tool[] {
  return Object.entries(RUN_TOOLS).map(([name, { description, inputs, annotations }]) => ({
    name: OWN_PREFIX + name,
    description,
    inputSchema: JSON.parse(JSON.stringify(inputs)) as Tool['inputSchema'],
    ...(annotations && { annotations }),
  }));
}

export function runTool(name: string): RunTool | undefined {
  const own = name.startsWith(OWN_PREFIX) ? name.slice(OWN_PREFIX.length) : '';
  return Object.hasOwn(RUN_TOOLS, own) ? RUN_TOOLS[own] : undefined;
}

export function argumentsOf(given: unknown): JsonObject {
  if (given === undefined) return {};
  if (isJsonObject(given)) return given;
  throw new BatonError('validation_error', 'arguments must be an object.', { field: 'arguments' });
}
