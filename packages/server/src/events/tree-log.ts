import type { Notice } from '@baton/engine';
import type { EventInTree, LogReads, RunReads, RunRow } from '@baton/engine/ports';
import { isTerminal, rootRunId } from '@baton/protocol';
import { noSuchRun, type RunOfTenant } from '../runs/run-of.ts';
import type { Feed } from './feed.ts';
import { TREE_ENDED_FRAME, treeEventFrame } from './frames.ts';
import type { FrameSource } from './sources.ts';
import type { RunWatch } from './watch-run.ts';

/** The events of a run and its descendants as one log, in the order in which they happened. */

/** More descendants of one run are not read. */
const MAX_RUNS = 20_000;
/** Logs that are read before other requests have their turn. */
const READS_IN_TURN = 64;
/** Events that are read of a log at once, alone and beside others. */
const PAGE = 64;
const PAGE_OF_MANY = 8;

interface TreeSource {
  readonly feed: Pick<Feed, 'watchTree'>;
  readonly reads: Pick<LogReads, 'eventsInTree' | 'lengthAt'> & Pick<RunReads, 'runFamily'>;
}

interface TreeLog {
  readonly next: FrameSource;
  readonly watch: RunWatch;
}

/**
 * The events with a place after `after`. A log is read only as far as one moment of the store, or a notice, says that
 * it goes. The slices of a tree are stored one after the other, so no later read finds an event with a lower place.
 */
export async function treeLog(host: TreeSource, run: RunOfTenant, after: number): Promise<TreeLog> {
  const { tenant, runId } = run;
  const readings = treeReadings();
  let tell: ((status: Notice['status']) => void) | undefined;
  // The watch begins before the rows are read, so that every commit is in the rows or in a notice.
  const stop = host.feed.watchTree(rootRunId(runId), ({ runId: moved, lastSequence, status }) => {
    if (!isOfTree(moved, runId)) return;
    readings.extend(moved, lastSequence + 1, status);
    tell?.(status);
  });
  try {
    const family = await host.reads.runFamily(tenant, runId, MAX_RUNS);
    if (family === undefined) throw noSuchRun(runId);
    for (const { runId: id, head, status } of [family.row, ...family.descendants]) {
      readings.extend(id, head, status);
    }
  } catch (error) {
    stop();
    throw error;
  }
  return {
    next: framesOf(host.reads, tenant, after, readings),
    watch: {
      hasEnded: readings.haveEnded,
      newest: () => Number.POSITIVE_INFINITY,
      stop,
      listen(listener) {
        tell = listener;
      },
    },
  };
}

/** Whether a run is the other one or a descendant of it. */
export function isOfTree(runId: string, top: string): boolean {
  return runId === top || runId.startsWith(`${top}.`);
}

function framesOf(
  reads: TreeSource['reads'],
  tenant: string,
  after: number,
  readings: TreeReadings,
): FrameSource {
  const { unsent } = readings;

  async function readOf(reading: Reading): Promise<void> {
    reading.next ??= after === 0 ? 0 : await reads.lengthAt(tenant, reading.runId, after);
    const limit = Math.min(reading.upTo - reading.next, unsent.size === 1 ? PAGE : PAGE_OF_MANY);
    if (limit > 0) {
      reading.held = await reads.eventsInTree(tenant, reading.runId, reading.next, limit);
      reading.next += reading.held.length;
    }
    // The reader has the events already, or the run was purged meanwhile.
    if (reading.held.length === 0) unsent.delete(reading);
  }

  /** Reads until events of every unsent log are held. False when other requests have their turn first. */
  async function fill(): Promise<boolean> {
    let reads = 0;
    for (const reading of unsent) {
      if (reading.held.length > 0) continue;
      if (reads === READS_IN_TURN) return false;
      reads += 1;
      await readOf(reading);
    }
    return true;
  }

  return async () => {
    if (unsent.size > 0) return { text: (await fill()) ? takeFrom(unsent) : '', ended: false };
    return readings.haveEnded() ? { text: TREE_ENDED_FRAME, ended: true } : undefined;
  };
}

/** The frames of the held events that no unread event precedes. They are no longer held. */
function takeFrom(unsent: Set<Reading>): string {
  let bound = Number.POSITIVE_INFINITY;
  for (const { held, next = 0, upTo } of unsent) {
    if (next < upTo) bound = Math.min(bound, held.at(-1)?.place ?? 0);
  }
  const taken: { readonly runId: string; readonly event: EventInTree }[] = [];
  for (const reading of unsent) {
    const { runId, held, next = 0, upTo } = reading;
    for (const event of held) if (event.place <= bound) taken.push({ runId, event });
    reading.held = held.filter(({ place }) => place > bound);
    if (reading.held.length === 0 && next >= upTo) unsent.delete(reading);
  }
  taken.sort((one, other) => one.event.place - other.event.place);
  return taken.map(({ runId, event }) => treeEventFrame(runId, event)).join('');
}

/** How far the log of one run was read, and how far it may be read. */
interface Reading {
  readonly runId: string;
  /** Sequence of the first event that was not read. Absent: not known yet. */
  next: number | undefined;
  /** Events of the log that may be read. */
  upTo: number;
  isOpen: boolean;
  /** Events that were read and not sent. */
  held: readonly EventInTree[];
}

/** How far the logs of a run and its descendants were read. */
interface TreeReadings {
  /** The readings with events that were not sent. */
  readonly unsent: Set<Reading>;
  /** A log has this length now, or had it at an earlier moment than the one that is known. */
  extend(runId: string, length: number, status: RunRow['status']): void;
  /** Whether no run will have another event. */
  haveEnded(): boolean;
}

function treeReadings(): TreeReadings {
  const byRun = new Map<string, Reading>();
  const unsent = new Set<Reading>();
  let open = 0;
  return {
    unsent,
    haveEnded: () => open === 0,
    extend(runId, length, status) {
      const reading = byRun.get(runId) ?? { runId, next: undefined, upTo: 0, isOpen: false, held: [] };
      byRun.set(runId, reading);
      if (length <= reading.upTo) return;
      reading.upTo = length;
      unsent.add(reading);
      const isOpen = !isTerminal(status);
      if (isOpen !== reading.isOpen) open += isOpen ? 1 : -1;
      reading.isOpen = isOpen;
    },
  };
}
