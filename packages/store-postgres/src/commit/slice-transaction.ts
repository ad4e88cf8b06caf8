import { StoreUnavailableError } from '@baton/engine/ports';
import { isUnavailable } from '../database/faults.ts';
import type { Lane, LaneConnection } from '../database/lane.ts';
import type { Self } from '../self.ts';
import { type Commit, tellCommit, writeCommit } from './commit-row.ts';
import { writeCommits } from './large-commit.ts';
import { wasCommitted } from './lost-answer.ts';
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
