import type { RunError, RunSnapshot } from '@baton/protocol';
import { BatonError } from '../errors.ts';
import { followRun } from '../events/follow.ts';
import type { CallOptions, Connection } from '../http/connection.ts';
import { ask } from '../http/request.ts';

/** Waits through the stream until the run has ended. Rejects with `run_failed` or `run_cancelled`. */
export async function resultOf(
  connection: Connection,
  runId: string,
  options: CallOptions,
): Promise<RunSnapshot> {
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
