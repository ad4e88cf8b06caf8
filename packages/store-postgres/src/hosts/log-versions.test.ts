import { NewerLogError } from '@baton/engine/ports';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import {
  advanced,
  birth,
  childRecord,
  created,
  record,
  slice,
  T0,
} from '../../../conformance/src/store-contract/example-slices.ts';
import { addHost, openExample, removeHost } from '../../testing/example-rows.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import { openPostgresReads, openPostgresStore } from '../open.ts';

/** Hosts of two releases on one database, as during an upgrade. The newer one writes logs that the older cannot fold. */

afterAll(stopServers);

async function oldAndNew() {
  const database = await openExample();
  for (const hostNo of [1, 2]) await addHost(database, hostNo);
  const old = await openPostgresStore(database.url, 1, 1);
  const newer = await openPostgresStore(database.url, 2, 2);
  const reads = await openPostgresReads(database.url, 1, 1);
  onTestFinished(async () => {
    for (const opened of [old, newer, reads]) await opened.close();
  });
  const versionOf = async (runId: string) =>
    (await database.row<{ v: number }>('SELECT log_version AS v FROM runs WHERE run_id = $1', runId))?.v;
  return { database, old, newer, reads, versionOf };
}

const UNFINISHED = { wake: { at: T0, unfinished: true } };
const idsOf = (trees: readonly { readonly rootId: string }[]) => trees.map(({ rootId }) => rootId);

it('a tree needs the version of the newest host that has written events to it', async () => {
  const { old, newer, versionOf } = await oldAndNew();
  const tree = slice('a', [created(record('a'), 1), created(childRecord('a.1', 'a'), 1)], { from: 0 });
  await old.commit([tree, birth(record('b'), 1)]);
  await newer.commit([birth(record('c'), 1)]);
  expect(await Promise.all(['a', 'b', 'c', 'a.1'].map(versionOf))).toEqual([1, 1, 2, null]);
  // A deadline is no event.
  await newer.commit([slice('b', [], { from: 1, ...UNFINISHED })]);
  // The tree is raised also by a slice that does not touch its root.
  await newer.commit([slice('a', [advanced('a.1', 1, 1)], { from: 2 })]);
  expect(await Promise.all(['a', 'b'].map(versionOf))).toEqual([2, 1]);
  await newer.commit([slice('a', [advanced('a', 1, 1)], { from: 3 })]);
  expect(await versionOf('a')).toBe(2);
});

it('a host neither adopts, rings, resumes nor takes a tree that it cannot fold', async () => {
  const { database, old, newer } = await oldAndNew();
  await addHost(database, 3);
  const gone = await openPostgresStore(database.url, 3, 2);
  await gone.commit([
    { ...birth(record('a'), 1), ...UNFINISHED },
    { ...birth(record('b'), 1), wake: { at: T0, unfinished: false } },
  ]);
  await gone.close();
  await removeHost(database, 3);
  expect(await old.adoptTrees(10)).toEqual([]);
  expect(await old.unfinished()).toEqual([]);
  expect((await old.due(T0 + 60_000, 10)).items).toEqual([]);
  await old.takeTree('a');
  expect(await old.ringTree('b', T0)).toBeUndefined();
  expect(await old.nextWake()).toBeUndefined();
  expect(await database.rows('SELECT DISTINCT keeper FROM runs')).toEqual([{ keeper: 3 }]);
  expect(idsOf(await newer.adoptTrees(10))).toEqual(['a']);
  expect(await newer.adoptTrees(10)).toEqual([]);
  expect(idsOf((await newer.due(T0, 10)).items)).toEqual(['a', 'b']);
  expect(await database.rows('SELECT DISTINCT keeper FROM runs')).toEqual([{ keeper: 2 }]);
});

it('a host that keeps a tree no longer rings it once a newer host has written to it', async () => {
  const { old, newer } = await oldAndNew();
  await old.commit([{ ...birth(record('a'), 1), ...UNFINISHED }]);
  // The newer host leaves the deadline and the keeper as they are.
  await newer.commit([slice('a', [advanced('a', 1, 1)], { from: 1 })]);
  expect(await old.nextWake()).toBeUndefined();
  expect((await old.due(T0, 10)).items).toEqual([]);
  expect(idsOf((await newer.due(T0 + 1001, 10)).items)).toEqual(['a']);
});

it('a host does not load a tree that it cannot fold, and still shows its events', async () => {
  const { old, newer, reads } = await oldAndNew();
  await newer.commit([birth(record('a'), 2)]);
  await expect(old.loadTree('a')).rejects.toThrow(NewerLogError);
  await expect(old.storedRun('a')).rejects.toThrow(NewerLogError);
  await expect(old.storedRunAt('a', 1)).rejects.toThrow(NewerLogError);
  await expect(reads.stored('acme', 'a')).rejects.toThrow(NewerLogError);
  await expect(reads.runView('acme', 'a', 0)).rejects.toThrow(NewerLogError);
  expect(await reads.stored('another tenant', 'a')).toBeUndefined();
  expect(await reads.events('acme', 'a', 0, 10)).toHaveLength(2);
  expect((await newer.loadTree('a')).runs).toHaveLength(1);
});

it('both hosts drive a tree that only the older one has written to', async () => {
  const { database, old, newer } = await oldAndNew();
  await old.commit([{ ...birth(record('a'), 1), ...UNFINISHED }]);
  expect((await newer.loadTree('a')).runs).toHaveLength(1);
  expect(idsOf((await old.due(T0, 10)).items)).toEqual(['a']);
  await removeHost(database, 1);
  expect(idsOf(await newer.adoptTrees(10))).toEqual(['a']);
  // It keeps the tree now, but has written no event.
  expect((await old.loadTree('a')).runs).toHaveLength(1);
});
