import type { Caller } from '@baton/engine';
import {
  type EventOf,
  isTerminal,
  isWaiting,
  type Json,
  type JsonObject,
  type RunEvent,
} from '@baton/protocol';
import {
  callerOf,
  carryOut,
  createPages,
  type HostContext,
  readDefinition,
  refusal,
  registerWorkflow,
  waitForRun,
} from '@baton/server/extension';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A run that a seam takes by the hand: real workflows, real commands, and the log they leave behind. */
export interface DrivenRun {
  readonly runId: string;
  status(): Promise<string>;
  events(): Promise<readonly RunEvent[]>;
  /** Answers the question that is open at a node, and waits for what comes of it. */
  answer(nodeId: string, resumeValue: JsonObject): Promise<void>;
  /** Waits until the run has ended by itself. */
  ended(): Promise<void>;
  /** Ends the run, so that a seam leaves nothing waiting behind. */
  abandon(): Promise<void>;
}

const PATIENCE_MS = 20_000;

/** Registers the workflows, starts the first one and waits until it has ended or waits for someone. */
export async function driveRun(
  host: HostContext,
  request: FastifyRequest,
  reply: FastifyReply,
  definitions: readonly [Definition, ...Definition[]],
  inputs: Readonly<Record<string, Json>> = {},
): Promise<DrivenRun> {
  const caller = callerOf(request);
  for (const definition of definitions) await register(host, caller, definition);
  const body = { workflowId: definitions[0].id, inputs };
  const { runId } = await carryOut(host.engine, reply, { kind: 'create-run', caller, body }, 'run');
  return driveStarted(host, reply, caller, runId);
}

/** Takes a run that was started by the hand, as soon as it has ended or waits for someone. */
export async function driveStarted(
  host: HostContext,
  reply: FastifyReply,
  caller: Caller,
  runId: string,
): Promise<DrivenRun> {
  const run = { tenant: caller.tenant, runId };
  const settled = () =>
    waitForRun(host, reply.raw, run, PATIENCE_MS, ({ status }) => isTerminal(status) || isWaiting(status));
  await settled();
  return {
    runId,
    status: async () => (await host.reads.run(caller.tenant, runId))?.status ?? 'unknown',
    events: () => readLog(host, run),
    async answer(nodeId, resumeValue) {
      const target = { nodeId };
      const command = {
        kind: 'resolve-interrupt',
        caller,
        runId,
        target,
        resumeValue,
        viaToken: false,
        scopes: [],
      } as const;
      await carryOut(host.engine, reply, command, 'run');
      await settled();
    },
    ended: () => waitForRun(host, reply.raw, run, PATIENCE_MS, ({ status }) => isTerminal(status)),
    async abandon() {
      const reason = 'the seam has seen enough';
      await carryOut(host.engine, reply, { kind: 'cancel-run', caller, runId, reason }, 'run');
    },
  };
}

/** Whatever a seam builds; registration checks it like any author's. */
export interface Definition {
  readonly id: string;
  readonly nodes: readonly object[];
  readonly [more: string]: unknown;
}

export async function register(host: HostContext, caller: Caller, definition: Definition): Promise<void> {
  const outcome = await registerWorkflow(host.engine, readDefinition(definition), {
    caller,
    shared: false,
  });
  if (!outcome.ok) throw refusal(outcome.error);
}

export async function readLog(
  host: HostContext,
  run: { tenant: string; runId: string },
): Promise<readonly RunEvent[]> {
  const pages = createPages(host.reads, run, 0);
  const events: RunEvent[] = [];
  for (let page = await pages.read(); page.length > 0; page = await pages.read()) {
    for (const text of page) events.push(JSON.parse(text) as RunEvent);
  }
  return events;
}

export function eventsOf<T extends RunEvent['type']>(
  events: readonly RunEvent[],
  type: T,
): readonly EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type);
}
