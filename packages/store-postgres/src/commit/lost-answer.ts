import { setTimeout as delay } from 'node:timers/promises';
import { isRepeatable, isUnavailable } from '../database/faults.ts';
import type { Lane } from '../database/lane.ts';
import type { Self } from '../self.ts';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;
/** Rows of `commits` are kept for longer than this (see prune-commits.ts). */
const LONGEST_DOUBT_MS = 300_000;

/**
 * Finds out whether a transaction was committed whose answer was lost. A row with its number is written in its place: if
 * the transaction is still under way, this waits for its end; if it was not committed, it never can be after this.
 * While Postgres cannot be reached, it is asked again.
 */
export async function wasCommitted(
  lane: Lane,
  self: Self,
  number: number,
  closing: AbortSignal,
): Promise<boolean> {
  const since = performance.now();
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      const { queries } = await lane.connected();
      await queries.run(TAKE_ITS_PLACE, self.hostNo, number);
      const row = await queries.row<{ isEmpty: boolean }>(LOOK, self.hostNo, number);
      if (row !== undefined) return !row.isEmpty;
    } catch (error) {
      if (!isUnavailable(error) && !isRepeatable(error)) throw error;
    }
    if (closing.aborted || performance.now() - since > LONGEST_DOUBT_MS)
      throw new Error('it is not known whether the last commit was stored: start the host again');
    await delay(wait, undefined, { signal: closing }).catch(() => undefined);
  }
}

/** A row of slices has either no changes, which is null, or some. */
const NO_CHANGES = "'[]'";

const TAKE_ITS_PLACE = `
  INSERT INTO commits (xid, host_no, n, run_nos, firsts, counts, changed, signed)
  SELECT pg_current_xact_id()::text::bigint + host.xid_offset, $1, $2, '{}', '{}', '{}', ${NO_CHANGES}, true FROM host
  ON CONFLICT (host_no, n) DO NOTHING`;

/** The row may be that of an earlier question, whose answer was lost too. */
const LOOK = `
  SELECT coalesce(changed = ${NO_CHANGES}, false) AS "isEmpty" FROM commits WHERE host_no = $1 AND n = $2`;
