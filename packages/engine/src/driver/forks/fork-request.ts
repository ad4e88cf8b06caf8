import {
  BatonError,
  type EventOf,
  ForkRun,
  parse,
  RetryRun,
  type RunEvent,
  type RunOptionsOverlay,
  runError,
} from '@baton/protocol';
import type { ForkCommand, RetryCommand } from '../../commands.ts';
import { DISPATCH } from '../../kernel/graph/loops.ts';
import type { ForkRecord, RunRow, Store } from '../../ports/store.ts';

/** Turns the requests for a fork and for a retry into a `ForkRequest`. */

export interface ForkRequest {
  readonly fromSeq: number;
  /** The index that the caller named. The fork may begin at another index. */
  readonly asked?: number;
  readonly mode: ForkRecord['mode'];
  readonly models: ForkRecord['models'];
  readonly overlay?: RunOptionsOverlay;
  /** The failure at the cut. The node that failed is tried again. */
  readonly retry?: EventOf<'node.failed'>;
  /** The place in the source's tree up to which a replay follows. */
  readonly upTo?: number;
  /** The principal who asks for the branch. */
  readonly by?: ForkRecord['by'];
  /** When the tree was cut. */
  readonly cutAt?: number;
}

/** A replay has to be exact, so its caller may change nothing. For a branch, `fromSeq` is required. */
export function forkRequestOf(given: ForkCommand, starters: readonly string[]): ForkRequest {
  const { mode, fromSeq, models, runOptionsOverlay } = parse(ForkRun, given.body, 'fork');
  const refuse = (field: string, problem: string) =>
    new BatonError('validation_error', `fork: ${field} ${problem}`, { field });
  if (mode === 'branch') {
    if (fromSeq === undefined) throw refuse('fromSeq', 'is required for a branch');
    if (models === 'recorded') throw refuse('models', 'must be "live" for a branch');
    const overlay = runOptionsOverlay && { overlay: runOptionsOverlay };
    return { fromSeq, mode, models: 'live', ...overlay, by: nameOf(given, starters) };
  }
  if (runOptionsOverlay && Object.keys(runOptionsOverlay).length > 0) {
    throw refuse('runOptionsOverlay', 'must be empty for a replay, which repeats its source');
  }
  return { fromSeq: fromSeq ?? 0, mode, models: models ?? 'recorded' };
}

export async function retryOf(
  store: Store,
  source: RunRow,
  given: RetryCommand,
  starters: readonly string[],
): Promise<ForkRequest> {
  const { runId, purgedAt, erasedAt } = source;
  if (erasedAt !== undefined) throw new BatonError('run_erased', undefined, { runId });
  if (purgedAt !== undefined) throw new BatonError('run_purged', undefined, { runId });
  const { failed, started } = await failureOf(store, source);
  const { runOptionsOverlay: overlay } = parse(RetryRun, given.body, 'retry');
  const by = nameOf(given, starters);
  const branch = { mode: 'branch', models: 'live', ...(overlay && { overlay }), by } as const;
  // A dispatch node consumes its decision when it starts. So the retry begins before its start.
  if (started.payload.typeId === DISPATCH) return { ...branch, fromSeq: started.sequence };
  return { ...branch, fromSeq: failed.sequence, retry: failed };
}

/** The principal who asks for a branch counts as its starter, beside the starters of its source. */
function nameOf(
  { caller, scopes }: ForkCommand | RetryCommand,
  starters: readonly string[],
): NonNullable<ForkRequest['by']> {
  return { principal: caller.principal, ...(scopes && { scopes }), starters };
}

const PAGE = 256;

interface Failure {
  readonly failed: EventOf<'node.failed'>;
  readonly started: EventOf<'node.started'>;
}

/**
 * The failure and the start of the node that made the run fail. Throws a refusal when there is no such node.
 */
async function failureOf(store: Store, source: RunRow): Promise<Failure> {
  if (source.status !== 'failed') {
    throw new BatonError(
      'run_state_conflict',
      `Only a failed run can be retried; this one is ${source.status}.`,
      {
        runStatus: source.status,
      },
    );
  }
  let end: EventOf<'run.failed'> | undefined;
  let failed: EventOf<'node.failed'> | undefined;
  for await (const event of backwards(store, source)) {
    if (event.type === 'run.failed') end = event;
    else if (failed !== undefined) {
      if (event.type === 'node.started' && event.nodeId === failed.nodeId) return { failed, started: event };
    } else if (end !== undefined && event.eventId === end.causationId) {
      if (event.type !== 'node.failed') break;
      failed = event;
    }
    if (end !== undefined && end.causationId === undefined) break;
  }
  throw nothingToRetry(end);
}

async function* backwards(store: Store, { runId, head }: RunRow): AsyncGenerator<RunEvent> {
  for (let before = head; before > 0; before -= PAGE) {
    const from = Math.max(0, before - PAGE);
    const page = await store.placedEvents(runId, from, before - from);
    for (const { text } of [...page].reverse()) yield JSON.parse(text) as RunEvent;
  }
}

function nothingToRetry(end: EventOf<'run.failed'> | undefined): BatonError {
  const why = end?.payload.error ?? runError('run_quarantined');
  const message = `The run did not fail at a node (${why.code}), so there is no node to retry; fork the run at an earlier index instead.`;
  return new BatonError('run_state_conflict', message, { runStatus: 'failed' });
}
