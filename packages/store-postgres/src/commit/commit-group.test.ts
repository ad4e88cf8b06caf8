import type { Slice } from '@baton/engine/ports';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { carry, write } from '../../../conformance/src/store-contract/example-memory.ts';
import {
  advanced,
  birth,
  childRecord,
  created,
  forked,
  forkOf,
  record,
  slice,
  T0,
} from '../../../conformance/src/store-contract/example-slices.ts';
import { addHost, openExample, openTransaction } from '../../testing/example-rows.ts';
import { someoneWaits } from '../../testing/lock-waits.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import { treeLoader } from '../queries/stored-runs.ts';
import { selfOf } from '../self.ts';
import { committedEventReader } from '../webhooks/committed-events.ts';
import { groupCommitter } from './commit-group.ts';

afterAll(stopServers);

type Example = Awaited<ReturnType<typeof openExample>>;

function hostOn({ url }: Example, hostNo: number) {
  const committer = groupCommitter(url, selfOf(hostNo));
  onTestFinished(() => committer.close());
  return committer;
}

async function oneHost() {
  const database = await openExample();
  const committer = hostOn(database, 1);
  const heads = async () => {
    const sql = 'SELECT run_id AS id, head, places FROM runs ORDER BY run_no';
    return (await database.rows<{ id: string; head: number; places: number | null }>(sql)).map(
      ({ id, head, places }) => [id, head, places],
    );
  };
  const commits = () =>
    database.rows<{
      runs: readonly number[];
      counts: readonly number[];
      changed: string | null;
      signed: boolean;
    }>('SELECT run_nos AS runs, counts, changed, signed FROM commits ORDER BY xid');
  return { database, committer, heads, commits };
}

/** The slice of a handoff: the run goes on and has a child. */
function handoff(rootId: string, head: number, from: number, more: Partial<Slice> = {}): Slice {
  const runs = [advanced(rootId, head, 2), created(childRecord(`${rootId}.${head}`, rootId), 3)];
  return slice(rootId, runs, { from, order: [0, 1, 1, 0, 1], wake: { at: T0, unfinished: true }, ...more });
}

describe('a group', () => {
  it('writes the slices of one tree as one, and leaves one row of what has moved', async () => {
    const { committer, heads, commits } = await oneHost();
    await committer.commit([birth(record('a'), 2)]);
    const group = [
      handoff('a', 2, 2),
      birth(record('b'), 1),
      handoff('a', 4, 7),
      slice('a', [], { from: 12 }),
    ];
    expect(await committer.commit(group)).toEqual(new Array(4).fill('committed'));
    expect(await heads()).toEqual([
      ['a', 6, 12],
      ['a.2', 3, null],
      ['b', 1, 1],
      ['a.4', 3, null],
    ]);
    expect((await commits()).map(({ counts }) => counts)).toEqual([[2], [4, 3, 1, 3]]);
  });

  it('leaves out a slice that is bad, with those that build on it, and stores the others', async () => {
    const { committer, heads, commits } = await oneHost();
    const trees = Array.from({ length: 20 }, (_, n) => `t${n}`);
    await committer.commit(trees.map((id) => birth(record(id), 2)));
    const bad = handoff('t7', 2, 2, { wake: { at: 0.5, unfinished: false } });
    const late = handoff('t9', 1, 1);
    const group = trees.map((id) => ({ t7: bad, t9: late })[id] ?? handoff(id, 2, 2));
    const results = await committer.commit([...group, handoff('t7', 4, 7), handoff('t3', 4, 7)]);
    const refused = { refused: 'deadline is no integer: 0.5' };
    const expected = trees.map((id) => ({ t7: refused, t9: 'conflict' })[id] ?? 'committed');
    expect(results).toEqual([...expected, 'conflict', 'committed']);
    const roots = (await heads()).filter(([, , places]) => places !== null);
    expect(roots.map(([, head]) => head)).toEqual(trees.map((id) => ({ t3: 6, t7: 2, t9: 2 })[id] ?? 4));
    expect((await commits())[1]?.counts.reduce((sum, count) => sum + count, 0)).toBe(19 * 5);
  });

  it('with more events than one transaction may have is stored in several', async () => {
    const { committer, commits } = await oneHost();
    const group = ['a', 'b', 'c', 'd'].map((id) => birth(record(id), 3000));
    const late = slice('a', [advanced('a', 7, 1)], { from: 7 });
    const onLate = slice('a', [advanced('a', 3000, 3000)], { from: 3000 });
    const results = await committer.commit([late, ...group, onLate]);
    expect(results).toEqual(['conflict', ...new Array(4).fill('conflict').fill('committed', 1), 'conflict']);
    expect((await commits()).map(({ counts }) => counts)).toEqual([[3000], [3000, 3000]]);
  });

  it('of one slice that has more events than one row has positions for leaves several rows', async () => {
    const { database, committer } = await oneHost();
    const runs = [created(record('a'), 20_000), created(childRecord('a.1', 'a'), 20_000)];
    expect(await committer.commit([slice('a', runs, { from: 0 })])).toEqual(['committed']);
    expect(await committer.commit([birth(record('b'), 3)])).toEqual(['committed']);
    const read = committedEventReader(database);
    const positions: number[] = [];
    const seen: string[] = [];
    for (let { upTo, events } = await read(0, 7000, ['acme']); upTo !== undefined; ) {
      positions.push(...events.map(({ position }) => position));
      seen.push(...events.map(({ runId, sequence }) => `${runId}:${sequence}`));
      ({ upTo, events } = await read(upTo, 7000, ['acme']));
    }
    const expected = (runId: string, count: number) =>
      Array.from({ length: count }, (_, at) => `${runId}:${at}`);
    expect(seen).toEqual([...expected('a', 20_000), ...expected('a.1', 20_000), ...expected('b', 3)]);
    expect(positions).toEqual([...new Set(positions)].sort((one, other) => one - other));
  });

  it('tells other hosts what has moved and what has changed', async () => {
    const { database, committer, commits } = await oneHost();
    const cancel = { runId: 'a', peer: 'p', task: 't', namedBy: 'id', at: T0 } as const;
    await committer.commit([
      { ...birth(record('a'), 1), memory: [write('scope:s', 1, 'x')] },
      { ...birth(record('f'), 1), cancels: [cancel] },
    ]);
    await committer.commit([slice('a', [], { memory: [carry('scope:u', 1, 'scope:s', 1)] })]);
    await committer.commit([slice('a', [], { from: 1 })]);
    const scope = (name: string) => ({ kind: 'scope', tenant: 'acme', scope: name });
    expect((await commits()).map(({ changed, signed }) => [changed && JSON.parse(changed), signed])).toEqual([
      [[scope('scope:s'), { kind: 'remote-cancel', runId: 'a' }], false],
      [[scope('scope:u')], true],
      [null, true],
    ]);
    expect(await database.rows('SELECT n FROM commits WHERE host_no <> 1')).toEqual([]);
  });

  it('is written again when Postgres has undone it for a deadlock', async () => {
    const { database, committer } = await oneHost();
    await committer.commit([birth(record('a'), 1), birth(record('b'), 1)]);
    const lock = 'SELECT 1 FROM runs WHERE run_id = $1 FOR UPDATE';
    let committing: Promise<unknown> | undefined;
    await database.transaction(async (queries) => {
      // Postgres undoes the transaction that looks for a deadlock first.
      await queries.run(`SET LOCAL deadlock_timeout = '60s'`);
      await queries.row(lock, 'b');
      if (committing === undefined) {
        committing = committer.commit([
          slice('a', [advanced('a', 1, 1)], { from: 1 }),
          slice('b', [advanced('b', 1, 1)], { from: 1 }),
        ]);
        await someoneWaits(database);
      }
      await queries.row(lock, 'a');
    });
    expect(await committing).toEqual(['committed', 'committed']);
  });

  it('keeps texts exactly, also those with the characters that a store puts between texts', async () => {
    const { database, committer } = await oneHost();
    const odd = ['\u0003', '"\u0003\u0001', '\u0002\u0003', '{"a":1}', 'é\u{1f9d1}\u0003'];
    await committer.commit([birth(record('a'), 0, { events: odd })]);
    expect((await treeLoader(database)('a')).runs[0]?.tail).toEqual(odd);
  });
});

describe('hosts', () => {
  it('do not move a tree that another one has moved, in whichever order they come', async () => {
    const { database, committer, heads } = await oneHost();
    const other = hostOn(database, 2);
    await committer.commit(['a', 'b', 'c'].map((id) => birth(record(id), 1)));
    const step = (id: string, head: number) => slice(id, [advanced(id, head, 1)], { from: head });
    const results = [];
    for (let head = 1; head <= 20; head += 1) {
      const [one, two] = await Promise.all([
        committer.commit([step('a', head), step('b', head), step('c', head)]),
        other.commit([step('c', head), step('a', head)]),
      ]);
      results.push([one[0], two[1]].sort().join(), [one[2], two[0]].sort().join(), one[1]);
    }
    expect(new Set(results)).toEqual(new Set(['committed,conflict', 'committed']));
    expect(await heads()).toEqual(['a', 'b', 'c'].map((id) => [id, 21, 21]));
  });

  it('do not go on with a tree that another host keeps, unless it is no longer at work', async () => {
    const { database, committer } = await oneHost();
    const other = hostOn(database, 2);
    await addHost(database, 2);
    const wake = { at: T0, unfinished: true };
    await other.commit([{ ...birth(record('a'), 1), wake }]);
    const goesOn = slice('a', [advanced('a', 1, 1)], { from: 1, continues: true, wake });
    expect(await committer.commit([goesOn, birth(record('b'), 1)])).toEqual(['taken', 'committed']);
    expect(await committer.commit([{ ...goesOn, from: 0 }])).toEqual(['conflict']);
    expect(await other.commit([goesOn])).toEqual(['committed']);
    await database.run('DELETE FROM hosts');
    const later = slice('a', [advanced('a', 2, 1)], { from: 2, continues: true, wake });
    expect(await committer.commit([later])).toEqual(['committed']);
    expect(await database.row('SELECT keeper FROM runs WHERE run_id = $1', 'a')).toEqual({ keeper: 1 });
  });

  it('become the keeper of a tree with a command, also if another host keeps it', async () => {
    const { database, committer } = await oneHost();
    const other = hostOn(database, 2);
    await addHost(database, 2);
    const wake = { at: T0, unfinished: true };
    await other.commit([{ ...birth(record('a'), 1), wake }]);
    const command = slice('a', [advanced('a', 1, 1)], { from: 1, wake });
    const goesOn = slice('a', [advanced('a', 2, 1)], { from: 2, continues: true, wake });
    expect(await committer.commit([command, goesOn])).toEqual(['committed', 'committed']);
  });

  it('do not fork a run while another host removes it', async () => {
    const { database, committer } = await oneHost();
    await committer.commit([birth(record('a'), 5, { status: 'completed' })]);
    const remove = "UPDATE runs SET purged_at = 1 WHERE run_id = 'a'";
    const purge = await openTransaction(database, async (queries) => {
      await queries.row("SELECT 1 FROM runs WHERE run_id = 'a' FOR UPDATE");
      await queries.run(remove);
    });
    const forking = committer.commit([{ ...forked('f', forkOf('a', 3)), from: 3 }, birth(record('b'), 1)]);
    await someoneWaits(database);
    await purge.commit();
    expect(await forking).toEqual(['conflict', 'committed']);
  });
});
