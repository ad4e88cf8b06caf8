/** The table `hosts` of the simulated Postgres. Each life of a host has a row, until it leaves or is buried. */
export interface HostTable {
  /** The number of a new host. */
  join(now: number): number;
  isAtWork(hostNo: number): boolean;
  list(): readonly number[];
  /** The host shows that it is at work. False when its row was removed. */
  seen(hostNo: number, now: number): boolean;
  /** Whether Postgres knows a connection of the host. */
  setSession(hostNo: number, isOpen: boolean): void;
  /** Removes other hosts that have been silent for too long, and returns whether there was one. */
  bury(by: number, now: number): boolean;
  leave(hostNo: number): void;
  /** After a start of Postgres nobody is removed until each host had time to come back. */
  restart(now: number): void;
}

/** A host that is silent for so long is replaced. */
export const LEASE_MS = 500;
/** A host whose session has ended is replaced after this time. */
const CRASHED_AFTER_MS = 50;

export function hostTable(): HostTable {
  const rows = new Map<number, { seenAt: number; hasSession: boolean }>();
  let newest = 0;
  let startedAt = Number.NEGATIVE_INFINITY;
  return {
    join(now) {
      newest += 1;
      rows.set(newest, { seenAt: now, hasSession: true });
      return newest;
    },
    isAtWork: (hostNo) => rows.has(hostNo),
    list: () => [...rows.keys()],
    seen(hostNo, now) {
      const row = rows.get(hostNo);
      if (row !== undefined) row.seenAt = now;
      return row !== undefined;
    },
    setSession(hostNo, isOpen) {
      const row = rows.get(hostNo);
      if (row !== undefined) row.hasSession = isOpen;
    },
    bury(by, now) {
      if (now <= startedAt + LEASE_MS) return false;
      const silent = [...rows].filter(
        ([hostNo, { seenAt, hasSession }]) =>
          hostNo !== by && seenAt < now - (hasSession ? LEASE_MS : CRASHED_AFTER_MS),
      );
      for (const [hostNo] of silent) rows.delete(hostNo);
      return silent.length > 0;
    },
    leave: (hostNo) => void rows.delete(hostNo),
    restart(now) {
      startedAt = now;
      for (const row of rows.values()) row.hasSession = false;
    },
  };
}
