import type { KeptTrees, Slice, Store, TreeRef } from '@baton/engine/ports';
import type { RootRow, Storage } from '../storage.ts';
import type { HostTable } from './host-table.ts';

/** The keeper of each tree, as the column `keeper` of a Postgres store has it. */
export interface Keepers {
  of(rootId: string): number | undefined;
  set(rootId: string, hostNo: number): void;
  /** Whether a host at work keeps the tree, and it is another one than this host. */
  isOther(rootId: string, hostNo: number): boolean;
  /** The slice is stored: the host that has set the wake-up time of a tree keeps it. */
  stored(slice: Slice, hostNo: number): void;
}

export function keepersOf(hosts: HostTable): Keepers {
  const keepers = new Map<string, number>();
  return {
    of: (rootId) => keepers.get(rootId),
    set: (rootId, hostNo) => void keepers.set(rootId, hostNo),
    isOther(rootId, hostNo) {
      const keeper = keepers.get(rootId);
      return keeper !== undefined && keeper !== hostNo && hosts.isAtWork(keeper);
    },
    stored({ rootId, wake }, hostNo) {
      if (wake !== undefined) keepers.set(rootId, hostNo);
    },
  };
}

/** A live host that is this late with a deadline is overloaded or hangs: another host does the work. */
const LATE_MS = 1000;

type WakeQueries = Pick<Store, 'unfinished' | 'due' | 'nextWake'> & KeptTrees;

/** Answers as `queries/wakes.ts` of the Postgres store. */
export function keptTrees(storage: Storage, keepers: Keepers, hostNo: number): WakeQueries {
  const own = ({ rootId }: RootRow) => keepers.of(rootId) === hostNo;
  const free = ({ rootId }: RootRow) => !keepers.isOther(rootId, hostNo);

  function adopt(rows: readonly RootRow[]): readonly TreeRef[] {
    for (const { rootId } of rows) keepers.set(rootId, hostNo);
    return rows.map(treeOf);
  }

  /** Their deadline is set to this moment, so that another host has to wait again before it may take them. */
  function takeLate(rows: readonly RootRow[], now: number): readonly RootRow[] {
    const late = rows.filter((row) => !own(row) && ((row.wakeAt ?? now) < now - LATE_MS || free(row)));
    adopt(late);
    return late.map((row) => {
      storage.setWake(row.rootId, now);
      return { ...row, wakeAt: now };
    });
  }

  return {
    unfinished: async () => storage.roots().filter(isUnfinished).filter(free).map(treeOf),
    async due(now, limit, cursor) {
      const [at = Number.MIN_SAFE_INTEGER, runNo = 0] = cursor?.split(':').map(Number) ?? [];
      const isDue = (row: RootRow) =>
        row.wakeAt !== null &&
        row.wakeAt <= now &&
        (row.wakeAt > at || (row.wakeAt === at && row.runNo > runNo));
      const rows = storage.roots().filter(isDue).sort(byDeadline);
      const found = [...rows.filter(own), ...takeLate(rows, now).slice(0, limit)]
        .sort(byDeadline)
        .slice(0, limit);
      const last = found[limit - 1];
      const items = found.map(treeOf);
      return last === undefined ? { items } : { items, next: `${last.wakeAt}:${last.runNo}` };
    },
    async nextWake() {
      const deadlines = storage
        .roots()
        .flatMap((row) => (own(row) && row.wakeAt !== null ? [row.wakeAt] : []));
      return deadlines.length === 0 ? undefined : Math.min(...deadlines);
    },
    takeTree: async (rootId) => keepers.set(rootId, hostNo),
    async ringTree(rootId, now) {
      const row = storage.roots().find((root) => root.rootId === rootId);
      if (row === undefined || row.wakeAt === null || row.wakeAt > now) return undefined;
      return adopt([row])[0];
    },
    async adoptTrees(limit) {
      const orphans = storage.roots().filter((row) => !own(row) && free(row));
      const unfinished = orphans.filter(isUnfinished).slice(0, limit);
      if (unfinished.length > 0) return adopt(unfinished);
      adopt(orphans.filter(({ rootId, wakeAt }) => wakeAt !== null && keepers.of(rootId) !== undefined));
      return [];
    },
  };
}

function isUnfinished({ unfinished }: RootRow): boolean {
  return unfinished === 1;
}

function byDeadline(one: RootRow, other: RootRow): number {
  return (one.wakeAt ?? 0) - (other.wakeAt ?? 0) || one.runNo - other.runNo;
}

function treeOf({ rootId, tenant, workflowId, workflowVersion }: RootRow): TreeRef {
  return { rootId, tenant, workflowId, workflowVersion };
}
