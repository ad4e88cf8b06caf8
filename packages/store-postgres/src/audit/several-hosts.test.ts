import type { ErasureRecord } from '@baton/engine/ports';
import { afterAll, expect, it } from 'vitest';
import { addEvents, addRun, openExample, openTransaction } from '../../testing/example-rows.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import { untilWaiting } from '../../testing/until-waiting.ts';
import type { Database } from '../database/database.ts';
import { hasTurn } from '../database/locks.ts';
import { selfOf } from '../self.ts';
import { auditReads } from './audit-reads.ts';
import { checkpointWriter } from './checkpoint-writer.ts';
import { runEraser } from './run-eraser.ts';

afterAll(stopServers);

type Make = Parameters<ReturnType<typeof checkpointWriter>['sign']>[0];

/** Signs everything, and notes how many runs each checkpoint covers. */
function signer(covered: number[] = []): Make {
  return ({ number }, leaves) => {
    covered.push(leaves.length);
    const checkpoint = {
      number: number + 1,
      sequence: number + 1,
      at: 1,
      digest: 'd',
      keyId: 'k',
      signature: 's',
    };
    return leaves.length === 0 ? undefined : { checkpoint, leaves };
  };
}

/** A run with events that no checkpoint covers. */
async function addUnsigned(database: Database, runNo: number, events = 1): Promise<void> {
  await addRun(database, runNo, { head: events });
  await database.run("UPDATE runs SET chain = 'link' WHERE run_no = $1", runNo);
  await database.transaction((queries) => addEvents(queries, runNo, 0, events));
}

it('signs what all hosts have committed, and nothing twice', async () => {
  const database = await openExample();
  for (const runNo of [1, 2]) await addUnsigned(database, runNo);
  const covered: number[] = [];
  const { sign } = checkpointWriter(database);
  await Promise.all([sign(signer(covered)), checkpointWriter(database).sign(signer(covered))]);
  expect(await sign(signer(covered))).toBe(false);
  expect(covered.filter((count) => count > 0)).toEqual([2]);
});

it('signs nothing while another host does', async () => {
  const database = await openExample();
  await addUnsigned(database, 1);
  const covered: number[] = [];
  const other = await openTransaction(database, async (queries) => void (await hasTurn(queries, 'sign')));
  expect(await checkpointWriter(database).sign(signer(covered))).toBe(false);
  expect(covered).toEqual([]);
  await other.commit();
  await checkpointWriter(database).sign(signer(covered));
  expect(covered).toEqual([1]);
});

it('covers many events by several checkpoints, and says when there are more', async () => {
  const database = await openExample();
  for (const runNo of [1, 2, 3]) await addUnsigned(database, runNo, 12_000);
  const covered: number[] = [];
  const { sign } = checkpointWriter(database);
  expect([await sign(signer(covered)), await sign(signer(covered))]).toEqual([true, false]);
  expect(covered).toEqual([2, 1]);
  expect(await auditReads(database).lastCheckpointNumber()).toBe(2);
});

it('goes on counting checkpoints when the count was lost', async () => {
  const database = await openExample();
  const { sign } = checkpointWriter(database);
  for (const runNo of [1, 2]) {
    await addUnsigned(database, runNo);
    await sign(signer());
    await database.run('DELETE FROM audit_progress');
  }
  expect((await auditReads(database).checkpoints(1, 9)).map(({ number }) => number)).toEqual([1, 2]);
});

it.each([
  "UPDATE audit_checkpoints SET digest = 'other'",
  'DELETE FROM audit_checkpoints',
  'TRUNCATE audit_checkpoints',
  'UPDATE audit_leaves SET head = 0',
  'DELETE FROM audit_leaves',
])('lets the database refuse: %s', async (sql) => {
  const database = await openExample();
  await expect(database.run(sql)).rejects.toThrow('can neither be changed nor deleted');
});

it('shows a checkpoint whose list of runs was made unreadable as one with a missing leaf', async () => {
  const database = await openExample();
  const put = `INSERT INTO audit_checkpoints (number, sequence, at, digest, key_id, signature, runs) VALUES ($1, $1, 1, 'd', 'k', 's', $2)`;
  for (const [at, runs] of ['[', '{}', '["x"]', '[99]'].entries()) await database.run(put, at + 1, runs);
  const checkpoints = await auditReads(database).checkpoints(1, 9);
  expect(checkpoints.map(({ leaves }) => leaves)).toEqual([
    [undefined],
    [undefined],
    [undefined],
    [undefined],
  ]);
});

const ERASURE: Omit<ErasureRecord, 'runId'> = {
  ...{ at: 1, by: 'ada', reason: 'asked to', from: 0, links: [], remains: 'r', keyId: 'k', signature: 's' },
};

it('waits with an erasure for a fork of the tree, and tells other hosts of it', async () => {
  const database = await openExample();
  await addRun(database, 1);
  await addRun(database, 2);
  await database.run('UPDATE runs SET root_no = 1, parent_no = 1 WHERE run_no = 2');
  const forking = await openTransaction(
    database,
    async (queries) => void (await queries.run('SELECT 1 FROM runs WHERE run_no = 1 FOR KEY SHARE')),
  );
  const order: string[] = [];
  const erasing = runEraser(database, selfOf(7))
    .eraseRun({ ...ERASURE, runId: 'run 2' }, [])
    .then(() => order.push('erased'));
  await untilWaiting(database);
  order.push('forked');
  await forking.commit();
  await erasing;
  expect(order).toEqual(['forked', 'erased']);
  expect(await database.row('SELECT host_no AS host, changed FROM commits')).toEqual({
    host: 7,
    changed: '[{"kind":"log","runId":"run 2"}]',
  });
});
