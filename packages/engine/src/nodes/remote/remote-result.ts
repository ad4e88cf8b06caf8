import {
  type JsonObject,
  type ResultStatement,
  type RunError,
  type RunErrorCode,
  runError,
} from '@baton/protocol';
import { assign, completeNode, failNode } from '../../kernel/execute.ts';
import { recordTransition } from '../../kernel/handoff/transitions.ts';
import type { FinishedWork } from '../../ports/remote-effects.ts';
import type { Remote } from './remote-work.ts';

/** Takes the result of a run on another host. */
export function takeFinished(remote: Remote, finished: FinishedWork): void {
  const { working, node, taskId: childRunId = '' } = remote;
  const { state, outputs = {}, statement } = finished;
  const mismatch = mismatchIn(remote, finished);
  // The cause of the end is an event of the other host, if that host says which.
  const end = { ...remote, lastId: (mismatch ? undefined : statement?.eventId) ?? remote.lastId };
  const from = mismatch === undefined && statement ? { causationHostId: statement.hostId } : {};
  if (mismatch !== undefined || state !== 'completed') {
    const error = mismatch ?? errorOf(finished);
    const phase = mismatch === undefined && state === 'cancelled' ? 'child.cancelled' : 'child.failed';
    recordTransition(working, node.id, end, phase, { childRunId, error, ...from });
    failNode(working, node, error, false);
    return;
  }
  const lastId = recordTransition(working, node.id, end, 'child.completed', { childRunId, ...from });
  const harvested = recordTransition(working, node.id, { ...remote, lastId }, 'output.harvested', {
    childRunId,
    harvestedKeys: Object.keys(outputs),
    ...(statement && { attestation: { checksum: statement.checksum, algorithm: 'sha256' as const } }),
  });
  assign(working, node.id, outputs, harvested);
  completeNode(working, node.id, told(remote, finished));
}

/**
 * A host of this kind signs its results. The checksum was computed again from the outputs that arrived: a
 * difference means that they are not the outputs of the run, and nothing of them is used. A failure need not be
 * signed, because the peer may have lost the run.
 */
function mismatchIn(remote: Remote, finished: FinishedWork): RunError | undefined {
  const { met } = remote;
  const { state, statement } = finished;
  if (met.hostId === undefined || (statement === undefined && state !== 'completed')) return undefined;
  const wrong = statement === undefined ? 'it is not signed' : wrongIn(remote, finished, statement);
  const message = `The result of the run on the other host cannot be used: ${wrong}.`;
  return wrong === undefined ? undefined : runError('remote_result_mismatch', message);
}

function wrongIn(
  { met, taskId }: Remote,
  { state, received }: FinishedWork,
  { hostId, runId, status, checksum }: ResultStatement,
): string | undefined {
  if (hostId !== met.hostId) return 'it is signed for another host';
  if (runId !== taskId) return 'it belongs to another run';
  if (status !== state) return 'it is signed with another status';
  if (state !== 'completed') return undefined;
  return checksum === received ? undefined : 'its checksum is not that of the outputs that arrived';
}

/** What this host has found out about the answers of the other host. Its run may not have failed. */
const FOUND_HERE: ReadonlySet<string> = new Set<RunErrorCode>([
  'peer_unknown',
  'peer_unreachable',
  'peer_unauthorized',
  'peer_identity_mismatch',
  'peer_answer_invalid',
  'peer_rejected',
  'remote_run_lost',
  'remote_result_mismatch',
]);

function errorOf({ state, error }: FinishedWork): RunError {
  if (state === 'cancelled') return runError('child_cancelled', 'The run on the other host was cancelled.');
  const cause = error ?? runError('child_failed');
  if (FOUND_HERE.has(cause.code)) return cause;
  const message = `The run on the other host failed: ${cause.message}`;
  return runError('child_failed', message, { childError: cause.code });
}

function told({ taskId = '', met }: Remote, { outputs = {}, statement }: FinishedWork): JsonObject {
  return {
    childRunId: taskId,
    harvestedKeys: Object.keys(outputs),
    ...(met.hostId !== undefined && { hostId: met.hostId }),
    ...(statement && { statement: { ...statement } }),
  };
}
