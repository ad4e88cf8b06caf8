import type { LaneConnection } from '../database/lane.ts';
import type { Self } from '../self.ts';
import { POSITIONS_OF_COMMIT } from '../webhooks/positions.ts';
import { type Commit, columnsOfStretches, type Stretch, writeCommit } from './commit-row.ts';
import { sendTogether } from './statement.ts';

/** Whether one row in `commits` has positions for all these events. */
export function fitsOneRow(stretches: readonly Stretch[]): boolean {
  return stretches.reduce((sum, { count }) => sum + count, 0) <= POSITIONS_OF_COMMIT;
}

/**
 * Writes the rows of a transaction in `commits`. A single slice may have more events than one row has positions for.
 * Then the transaction has further rows, with the numbers of transactions within it: these are greater than its own, and
 * no other transaction has them.
 */
export function writeCommits(
  { queries, command }: LaneConnection,
  self: Self,
  commit: Commit,
): readonly Promise<unknown>[] {
  const [first = [], ...further] = rowsOf(commit.stretches);
  const sent: Promise<unknown>[] = [
    sendTogether(queries, [writeCommit(self, { ...commit, stretches: first })]),
  ];
  for (const stretches of further) {
    const number = self.nextNumber();
    sent.push(
      command('SAVEPOINT further'),
      queries.run(WITHOUT_NUMBER, self.hostNo, number, ...columnsOfStretches(stretches)),
      queries.run(OWN_NUMBER, self.hostNo, number),
      command('RELEASE further'),
    );
  }
  return sent;
}

function rowsOf(stretches: readonly Stretch[]): readonly (readonly Stretch[])[] {
  const rows: Stretch[][] = [];
  let room = 0;
  for (const { runNo, first, count } of stretches) {
    for (let done = 0; done < count; ) {
      if (room === 0) {
        rows.push([]);
        room = POSITIONS_OF_COMMIT;
      }
      const some = Math.min(count - done, room);
      rows.at(-1)?.push({ runNo, first: first + done, count: some });
      done += some;
      room -= some;
    }
  }
  return rows;
}

const WITHOUT_NUMBER = `
  INSERT INTO commits (xid, host_no, n, run_nos, firsts, counts)
  VALUES (-$2::bigint, $1, $2, $3::bigint[], $4::bigint[], $5::integer[])`;

/**
 * The number of the transaction within the transaction is in the row that it has written, without the part that counts
 * how often such numbers began again.
 */
const OWN_NUMBER = `
  UPDATE commits SET xid = host.xid_offset + own.xid
    + (commits.xmin::text::bigint - own.xid % 4294967296 + 4294967296) % 4294967296
  FROM host, (SELECT pg_current_xact_id()::text::bigint AS xid) AS own
  WHERE host_no = $1 AND n = $2`;
