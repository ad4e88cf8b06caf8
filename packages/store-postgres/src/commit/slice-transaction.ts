import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailableError } from '@baton/engine/ports';
import { isRepeatable, isUnavailable } from '../database/faults.ts';
import type { Lane, LaneConnection } from '../database/lane.ts';
import type { Self } from '../self.ts';
import { type Commit, tellCommit, writeCommit } from './commit-row.ts';
import { writeCommits } from './large-commit.ts';
import type { Batch } from './slice-writer.ts';
import { sendTogether } from './statement.ts';

/** Transactions of slices. Each leaves a row in `commits`. */
export interface SliceTransactions {
  /** Writes one batch and commits it, by a single statement. Rejects with its error, and then nothing is stored. */
  commitAtOnce(batch: Batch, commit: Commit): Promise<void>;
  /** Commits what `work` has written, unless it rejects. It returns the row of the commit. */
  commitAfter(work: (connection: LaneConnection) => Promise<Commit>): Promise<void>;
}

/** A database may have another default. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

export function sliceTransactions(lane: Lane, self: Self, closing: AbortSignal): SliceTransactions {
  /** Who is not told now is told by the next commit. */
  function tell({ queries }: LaneConnection, commit: Commit): void {
    tellCommit(queries, self, commit).catch(() => undefined);
  }

  /** An error of the connection does not say whether the transaction was committed. */
  async function settled(failure: unknown, commit: Commit): Promise<void> {
    if (!isUnavailable(failure)) throw failure;
    if (!(await wasCommitted(lane, self, commit.number, closing))) throw new StoreUnavailableError(failure);
    tell(await lane.connected(), commit);
  }

  return {
    async commitAtOnce(batch, commit) {
      const connection = await lane.connected();
      const committing = connection.together(() => {
        const sent = sendTogether(connection.queries, [...batch.statements, writeCommit(self, commit)]);
        tell(connection, commit);
        return sent;
      });
      await committing.catch((error: unknown) => settled(error, commit));
    },
    async commitAfter(work) {
      const connection = await lane.connected();
      const { command, together } = connection;
      command(BEGIN).catch(() => undefined);
      const commit = await work(connection).catch(async (error: unknown) => {
        await command('ROLLBACK').catch(() => connection.drop());
        throw error;
      });
      const ending = together(() => {
        const sent = Promise.all([...writeCommits(connection, self, commit), command('COMMIT')]);
        tell(connection, commit);
        return sent;
      });
      await ending.catch((error: unknown) => settled(error, commit));
    },
  };
}

/** Sends a batch within a transaction. Rejects with the error of the first statement that fails. */
export async function writeBatch({ queries, together }: LaneConnection, batch: Batch): Promise<void> {
  const sent = together(() => [
    ...(batch.statements.length === 0 ? [] : [sendTogether(queries, batch.statements)]),
    ...batch.answered.map((send) => send(queries)),
  ]);
  const answers = await Promise.allSettled(sent);
  const failed = answers.find((answer) => answer.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;
/** Rows of `commits` are kept for longer than this (see prune-commits.ts). */
const LONGEST_DOUBT_MS = 300_000;

/**
 * Finds out whether a transaction was committed whose answer was lost. A row with its number is written in its place: if
 * the transaction is still under way, this waits for its end; if it was not committed, it never can be after this.
 * While Postgres cannot be reached, it is asked again.
 */
async function wasCommitted(lane: Lane, self: Self, number: number, closing: AbortSignal): Promise<boolean> {
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
