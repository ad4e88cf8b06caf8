import BetterSqlite3 from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { birth, record, slice } from '../../../conformance/src/store-contract/example-slices.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { databaseFile } from '../data-folder.ts';
import { openSqliteReads, openSqliteStore } from '../open.ts';

const ROOT = '01a1e83d-93f0-7344-bf57-c87f57daa97e';

function event(runId: string, sequence: number): string {
  const type = { timestamp: '2026-11-17T06:41:52.112Z', type: 'node.started' };
  return JSON.stringify({ eventId: `${runId}:${sequence}`, runId, sequence, ...type });
}

function open() {
  const folder = temporaryFolder();
  const store = openSqliteStore(folder);
  onTestFinished(() => store.close());
  return { folder, store, native: new BetterSqlite3(databaseFile(folder)) };
}
const texts = [event(ROOT, 0), event(ROOT, 1), event(ROOT, 2)];

it('stores short texts, counts their bytes and gives back the whole texts', async () => {
  const { folder, store, native } = open();
  await store.commit([
    slice(ROOT, [{ ...birth(record(ROOT), 3).runs[0], events: texts } as never], { from: 0 }),
  ]);
  const rows = native.prepare('SELECT data FROM events ORDER BY seq').pluck().all() as string[];
  expect(rows).toEqual(new Array(3).fill('"2026-11-17T06:41:52.112Z","type":"node.started"}'));
  expect(await store.bytesOf(record(ROOT).tenant)).toBe(rows.join('').length);
  expect((await store.placedEvents(ROOT, 1, 9)).map(({ text }) => text)).toEqual(texts.slice(1));
  expect((await store.storedRun(ROOT))?.tail).toEqual(texts);
  const reads = openSqliteReads(folder);
  onTestFinished(() => reads.close());
  expect(await reads.events(record(ROOT).tenant, ROOT, 0, 9)).toEqual(texts);
  expect((await reads.filedEvents(ROOT, 0, 9)).map(({ text }) => text)).toEqual(texts);
});

it('gives back the texts of rows that earlier versions wrote', async () => {
  const { store, native } = open();
  await store.commit([
    slice(ROOT, [{ ...birth(record(ROOT), 3).runs[0], events: texts } as never], { from: 0 }),
  ]);
  native.prepare('UPDATE events SET data = ? WHERE seq = 1').run(texts[1]);
  expect((await store.storedRun(ROOT))?.tail).toEqual(texts);
});
