import type { EventInTree, RunRow } from '@baton/engine/ports';
import { isTerminal } from '@baton/protocol';

/** How far the log of one run was read, and how far it may be read. */
export interface Reading {
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
export interface TreeReadings {
  /** The readings with events that were not sent. */
  readonly unsent: Set<Reading>;
  /** A log has this length now, or had it at an earlier moment than the one that is known. */
  extend(runId: string, length: number, status: RunRow['status']): void;
  /** Whether no run will have another event. */
  haveEnded(): boolean;
}

export function treeReadings(): TreeReadings {
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
