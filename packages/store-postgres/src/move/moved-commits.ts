import type { Stretch } from '../commit/commit-row.ts';
import { POSITIONS_OF_COMMIT } from '../webhooks/positions.ts';
import type { LateEvent } from './move-source.ts';

/**
 * Where events have positions of their own, the notary and each webhook know by a position what is new for them. Here
 * they know it by the rows of `commits`. So the events that are new for one of them are moved as commits, in their order,
 * and the position of a webhook becomes one within these commits. Events that everybody has looked at need none.
 *
 * No deliveries are queued instead: which events a webhook is told of is decided by a host, when it looks at them.
 */
interface MovedCommit {
  /** In place of the number of a transaction. The first is 1. */
  readonly xid: number;
  readonly signed: boolean;
  readonly stretches: readonly Stretch[];
}

/** Half of what a commit has room for. */
const EVENTS_IN_COMMIT = POSITIONS_OF_COMMIT / 2;

export function* movedCommits(late: Iterable<LateEvent>, signedUpTo: number): Iterable<MovedCommit> {
  let commit: { xid: number; signed: boolean; stretches: Stretch[] } | undefined;
  for (const { xid, signed, event } of placed(late, signedUpTo)) {
    if (commit?.xid !== xid) {
      if (commit !== undefined) yield commit;
      commit = { xid, signed, stretches: [] };
    }
    append(commit.stretches, event);
  }
  if (commit !== undefined) yield commit;
}

function append(stretches: Stretch[], { runNo, sequence }: LateEvent): void {
  const last = stretches.at(-1);
  if (last?.runNo === runNo && last.first + last.count === sequence) {
    stretches[stretches.length - 1] = { ...last, count: last.count + 1 };
  } else stretches.push({ runNo, first: sequence, count: 1 });
}

/** The new positions of webhooks by the old ones: that of the last event up to which each has looked. */
export function movedPositions(
  late: Iterable<LateEvent>,
  signedUpTo: number,
  positions: readonly number[],
): ReadonlyMap<number, number> {
  const moved = new Map<number, number>();
  const waiting = [...new Set(positions)].sort((one, other) => one - other);
  let reached = POSITIONS_OF_COMMIT - 1;
  for (const { xid, index, event } of placed(late, signedUpTo)) {
    while (waiting[0] !== undefined && waiting[0] < event.position) moved.set(waiting.shift() ?? 0, reached);
    if (waiting.length === 0) return moved;
    reached = xid * POSITIONS_OF_COMMIT + index;
  }
  for (const position of waiting) moved.set(position, reached);
  return moved;
}

interface PlacedEvent {
  readonly xid: number;
  readonly index: number;
  readonly signed: boolean;
  readonly event: LateEvent;
}

/** The commit of each event. All events of a commit are signed, or none. */
function* placed(late: Iterable<LateEvent>, signedUpTo: number): Iterable<PlacedEvent> {
  let xid = 1;
  let index = 0;
  let before: boolean | undefined;
  for (const event of late) {
    const signed = event.position <= signedUpTo;
    if (index === EVENTS_IN_COMMIT || (before !== undefined && before !== signed)) {
      xid += 1;
      index = 0;
    }
    before = signed;
    yield { xid, index, signed, event };
    index += 1;
  }
}
