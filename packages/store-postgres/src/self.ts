/** The host whose store this is, as other hosts see it in the database. */
export interface Self {
  /** The number of its row in `hosts`. Each start of a process has its own. */
  readonly hostNo: number;
  /** A number for its next transaction. No transaction of this host has it yet. */
  nextNumber(): number;
}

/** Numbers in a millisecond. A host never makes as many transactions. */
const NUMBERS_A_MS = 1024;

/**
 * A host may open several stores, one after the other or at the same time, in several threads. Their numbers begin at
 * the time, so that they differ.
 */
export function selfOf(hostNo: number, startedAt: number = Date.now()): Self {
  let last = startedAt * NUMBERS_A_MS + Math.floor(Math.random() * NUMBERS_A_MS);
  return { hostNo, nextNumber: () => ++last };
}
