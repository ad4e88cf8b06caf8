import type { RunDiff, RunEvent, RunSnapshot } from '@baton/client';
import { baton } from '../../api/baton.ts';
import { type AlignedRow, alignEvents } from './align.ts';

/** How many events after the parting are shown of each run. */
export const MOST_EVENTS = 1_000;

export interface Comparison {
  readonly a: RunSnapshot;
  readonly b: RunSnapshot;
  readonly diff: RunDiff;
  /** The events from the parting on. */
  readonly rows: readonly AlignedRow[];
  /** One of the runs has more events than are shown. */
  readonly isCut: boolean;
}

export async function readComparison(aId: string, bId: string, signal: AbortSignal): Promise<Comparison> {
  const [a, b, diff] = await Promise.all([
    baton.run(aId).snapshot({ signal }),
    baton.run(bId).snapshot({ signal }),
    baton.run(aId).diff(bId, { signal }),
  ]);
  const { divergedAtSeq: from } = diff;
  if (from === null) return { a, b, diff, rows: [], isCut: false };
  const [eventsA, eventsB] = await Promise.all([eventsOf(a, from, signal), eventsOf(b, from, signal)]);
  const isCut = [a, b].some(({ lastSequence }) => lastSequence >= from + MOST_EVENTS);
  return { a, b, diff, rows: alignEvents(eventsA, eventsB), isCut };
}

/** The events from an index on, up to the present end of the log. */
async function eventsOf(
  { runId, lastSequence }: RunSnapshot,
  from: number,
  signal: AbortSignal,
): Promise<readonly RunEvent[]> {
  const last = Math.min(lastSequence, from + MOST_EVENTS - 1);
  const events: RunEvent[] = [];
  if (from > last) return events;
  for await (const event of baton.run(runId).events({ from, signal })) {
    events.push(event);
    if (event.sequence >= last) break;
  }
  return events;
}
