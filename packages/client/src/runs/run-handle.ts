import type { ForkRun, RunError, RunEvent, RunSnapshot } from '@baton/protocol';
import { BatonError } from '../errors.ts';
import { followRun } from '../events/follow.ts';
import { followTree } from '../events/tree.ts';
import { followValues } from '../events/values.ts';
import type { CallOptions, CommandOptions, Connection } from '../http/connection.ts';
import { ask } from '../http/request.ts';
import { answerAt, interruptsOf, onlyOne } from '../interrupts.ts';
import type { Fork, Run } from './run.ts';

/** The handle of one run. */
export function runHandle(connection: Connection, runId: string): Run {
  const params = { runId };
  return {
    id: runId,
    ...following(connection, runId),
    ...answering(connection, runId),
    ...controlling(connection, runId),
    ...forking(connection, runId),
    snapshot: (options) => ask(connection, 'readRun', { params, ...options }),
    state: (options) => ask(connection, 'readRunState', { params, ...options }),
    stateAt: (at, options) => ask(connection, 'readRunState', { params, query: { at }, ...options }),
    diff: (other, options) => {
      const against = typeof other === 'string' ? other : other.id;
      return ask(connection, 'diffRuns', { params, query: { against }, ...options });
    },
    attestations: (options) => ask(connection, 'readAttestations', { params, ...options }),
    ancestry: (options) => ask(connection, 'readAncestry', { params, ...options }),
    artifact: (artifactId, options) =>
      ask(connection, 'readArtifact', { params: { runId, artifactId }, ...options }),
    bundle: (options) => ask(connection, 'exportRun', { params, ...options }),
  };
}

function following(
  connection: Connection,
  runId: string,
): Pick<Run, 'events' | 'live' | 'tree' | 'values' | 'log' | 'result'> {
  return {
    async *events(options = {}) {
      for await (const item of followRun(connection, runId, options, false)) {
        if (item.kind === 'event') yield item.event;
      }
    },
    live: (options = {}) => followRun(connection, runId, options, true),
    tree: (options = {}) => followTree(connection, runId, options),
    values: (options = {}) => followValues(connection, runId, options),
    async log({ from = 0, signal } = {}) {
      const query = { lastEventId: from - 1 };
      const { events } = await ask(connection, 'readEvents', { params: { runId }, query, signal });
      return events as readonly RunEvent[];
    },
    result: (options = {}) => resultOf(connection, runId, options),
  };
}

function answering(connection: Connection, runId: string): Pick<Run, 'interrupts' | 'answer'> {
  return {
    interrupts: (options) => interruptsOf(connection, runId, options),
    async answer(answer, { nodeId, ...options } = {}) {
      const place =
        nodeId === undefined
          ? onlyOne(runId, await interruptsOf(connection, runId, { signal: options.signal }))
          : { runId, nodeId };
      return answerAt(connection, place, answer, options);
    },
  };
}

function controlling(
  connection: Connection,
  runId: string,
): Pick<Run, 'cancel' | 'pause' | 'resume' | 'erase'> {
  const params = { runId };
  return {
    cancel: (options = {}) => ask(connection, 'cancelRun', { params, ...command(options) }),
    pause: (options = {}) => ask(connection, 'pauseRun', { params, ...command(options) }),
    resume: (options = {}) => ask(connection, 'resumeRun', { params, ...command(options) }),
    erase: (options) => ask(connection, 'eraseRun', { params, ...command(options) }),
  };
}

function forking(connection: Connection, runId: string): Pick<Run, 'fork' | 'branch' | 'retry'> {
  const params = { runId };
  const fork = async (options: CommandOptions, body: ForkRun): Promise<Fork> => {
    const made = await ask(connection, 'forkRun', { params, ...options, body });
    return { ...made, run: runHandle(connection, made.runId) };
  };
  return {
    fork({ at: fromSeq, models, ...options } = {}) {
      return fork(options, { mode: 'replay', fromSeq, models });
    },
    branch({ at: fromSeq, signal, idempotencyKey, ...runOptionsOverlay } = {}) {
      return fork({ signal, idempotencyKey }, { mode: 'branch', fromSeq, runOptionsOverlay });
    },
    async retry({ signal, idempotencyKey, ...runOptionsOverlay } = {}) {
      const body = { runOptionsOverlay };
      const made = await ask(connection, 'retryRun', { params, body, signal, idempotencyKey });
      return { ...made, run: runHandle(connection, made.runId) };
    },
  };
}

/** The options of a call, and the rest as its body. */
function command({ signal, idempotencyKey, ...body }: CommandOptions) {
  return { signal, idempotencyKey, body };
}

/** Waits through the stream until the run has ended. Rejects with `run_failed` or `run_cancelled`. */
async function resultOf(connection: Connection, runId: string, options: CallOptions): Promise<RunSnapshot> {
  const read = () => ask(connection, 'readRun', { params: { runId }, signal: options.signal });
  const present = await read();
  if (hasEnded(present)) return completed(present);
  const rest = followRun(connection, runId, { ...options, from: present.lastSequence + 1 }, false);
  for await (const _ of rest);
  return completed(await read());
}

function hasEnded({ status }: RunSnapshot): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

function completed(snapshot: RunSnapshot): RunSnapshot {
  const { runId, status } = snapshot;
  if (status === 'completed') return snapshot;
  const error = snapshot.error as RunError | undefined;
  if (status === 'cancelled') {
    throw new BatonError('run_cancelled', `Run ${runId} was cancelled.`, {
      details: { runId },
      runError: error,
    });
  }
  const why = error === undefined ? 'its error is no longer kept' : `${error.code}: ${error.message}`;
  throw new BatonError('run_failed', `Run ${runId} failed: ${why}`, { details: { runId }, runError: error });
}
