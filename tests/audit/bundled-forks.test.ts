import {
  auditPage,
  debugBundle,
  foldStored,
  newSigningKey,
  type RunRow,
  signingKey,
  snapshotOf,
} from '@baton/engine';
import { type DebugBundle, extendChain } from '@baton/protocol';
import { openSqliteStore } from '@baton/store-sqlite';
import { describe, expect, it } from 'vitest';
import { node, workflow } from '../../packages/engine/src/simulation/workflows.ts';
import { type Bench, bench, CALLER, settled } from '../driver/bench-top.ts';

/** Forks and memory in a bundle. The forks are written by hand: what matters here is what is stored. */

const KEY = signingKey(newSigningKey(), 'a test');
const WAITING = workflow('waiting', [node('gate', 'core.approvalGate')]);

async function sourceRun(host: Bench): Promise<string> {
  await host.register(WAITING);
  const runId = await host.create('waiting');
  await host.execute({ kind: 'cancel-run', caller: CALLER, runId });
  await settled();
  return runId;
}

/** A branch that was cancelled at once, and that remembers something. */
async function fork(host: Bench, sourceRunId: string, runId: string, fromSeq: number): Promise<void> {
  const event = {
    eventId: `${runId}:${fromSeq}`,
    runId,
    sequence: fromSeq,
    timestamp: '2026-06-01T00:00:00.000Z',
    type: 'run.cancelled',
    payload: { reason: 'enough' },
  };
  const texts = [JSON.stringify(event)];
  const shared = host.reads.events(CALLER.tenant, sourceRunId, 0, fromSeq);
  const store = openSqliteStore(host.folder);
  const record = {
    runId,
    rootId: runId,
    ...CALLER,
    workflowId: 'waiting',
    workflowVersion: 1,
    tags: [],
    createdAt: Date.parse(event.timestamp),
    fork: { sourceRunId, fromSeq, mode: 'branch', models: 'recorded', live: [] } as const,
  };
  const results = await store.commit([
    {
      rootId: runId,
      runs: [
        {
          runId,
          expectedHead: fromSeq,
          created: record,
          events: texts,
          status: 'cancelled',
          chain: extendChain('', [...shared, ...texts]),
          at: record.createdAt,
          interruptsOpened: [],
          interruptsClosed: [],
        },
      ],
    },
  ]);
  expect(results).toEqual(['committed']);
  await store.close();
}

async function bundleOf(host: Bench, runId: string): Promise<DebugBundle> {
  const stored = host.reads.stored(CALLER.tenant, runId)!;
  const text = await debugBundle(host.reads, {
    row: stored.row as RunRow,
    snapshot: snapshotOf(foldStored(stored), stored.row, []),
    host: { name: 'Baton', version: '0' },
    now: 0,
    maxBytes: 1_000_000,
  });
  return JSON.parse(text);
}

const importInto = (host: Bench, bundle: unknown, tenant = CALLER.tenant) =>
  host.execute({ kind: 'import-run', caller: { ...CALLER, tenant }, bundle });

async function findings({ reads }: Bench) {
  return (await auditPage(reads, KEY, { limit: 100, place: { part: 'runs', after: 0 } })).findings;
}

describe('a fork in a bundle', () => {
  it('comes with as much of its source as it shares, through any number of forks', async () => {
    const host = await bench();
    const source = await sourceRun(host);
    const head = host.events(source).length;
    await fork(host, source, 'f1', head - 2);
    await fork(host, 'f1', 'f2', head - 1);
    await fork(host, 'f2', 'f3', head - 2);
    expect(await findings(host)).toEqual([]);
    for (const [runId, runs] of [
      ['f1', ['f1', source]],
      ['f2', ['f1', 'f2', source]],
      ['f3', ['f1', 'f2', 'f3', source]],
    ] as const) {
      const bundle = await bundleOf(host, runId);
      expect(bundle.events).toEqual(host.events(runId));
      expect(bundle.baton?.runs.map((run) => run.runId).sort()).toEqual([...runs].sort());

      const other = await bench();
      expect(await importInto(other, bundle)).toMatchObject({ ok: true, value: { runId, verified: true } });
      expect(other.events(runId)).toEqual(host.events(runId));
      const state = ({ reads }: Bench) => foldStored(reads.stored(CALLER.tenant, runId)!);
      expect(state(other)).toEqual(state(host));
      expect(await findings(other)).toEqual([]);
      expect(other.reads.run(CALLER.tenant, runId)?.chain).toBe(host.reads.run(CALLER.tenant, runId)?.chain);
    }
  });

  it('shares a source that is there already, and is refused where that is another one', async () => {
    const host = await bench();
    const source = await sourceRun(host);
    const head = host.events(source).length;
    await fork(host, source, 'f1', head - 1);
    await fork(host, source, 'f2', head - 2);
    const other = await bench();
    expect(await importInto(other, await bundleOf(host, 'f1'))).toMatchObject({
      ok: true,
      value: { runs: 2 },
    });
    expect(await importInto(other, await bundleOf(host, 'f2'))).toMatchObject({
      ok: true,
      value: { runs: 1 },
    });
    const foreign = await bench();
    await importInto(foreign, await bundleOf(host, 'f1'), 'somebody else');
    expect(await importInto(foreign, await bundleOf(host, 'f2'))).toMatchObject({
      ok: false,
      error: { error: 'run_exists', details: { runIds: [source] } },
    });
  });

  it('keeps its source from being erased, until it is erased itself', async () => {
    const host = await bench({ auditKey: KEY });
    const source = await sourceRun(host);
    const head = host.events(source).length;
    await fork(host, source, 'f1', head - 1);
    const erase = (runId: string) =>
      host.execute({ kind: 'erase-run', caller: CALLER, runId, reason: 'asked to' });
    expect(await erase(source)).toMatchObject({
      ok: false,
      error: { error: 'run_has_forks', details: { forks: ['f1'] } },
    });
    expect(await erase('f1')).toMatchObject({ ok: true });
    expect(await findings(host)).toEqual([]);
    expect(await erase(source)).toMatchObject({ ok: true });
    expect(await findings(host)).toEqual([]);
  });
});

describe('memory in a bundle', () => {
  it('is taken in with its history, and refused where there is some of that name', async () => {
    const host = await bench();
    const runId = await sourceRun(host);
    const bundle = await bundleOf(host, runId);
    const scope = `run:${runId}`;
    const entry = {
      version: 1,
      deleted: false,
      revision: 1,
      id: 'k',
      content: 'c',
      tags: [],
      createdAt: 1,
      by: { runId },
    };
    const remembering = {
      ...bundle,
      baton: { ...bundle.baton, memory: [{ scope, version: 1, entries: [entry] }] },
    };
    const other = await bench();
    expect(await importInto(other, remembering)).toMatchObject({ ok: true });
    const query = { tenant: CALLER.tenant, view: [{ scope, version: 1 }], now: 2, limit: 5 };
    expect(other.reads.memory(query)).toMatchObject([{ id: 'k', content: 'c' }]);

    const third = await bench();
    const store = openSqliteStore(third.folder);
    const change = {
      kind: 'write',
      tenant: CALLER.tenant,
      scope,
      expectedVersion: 0,
      at: 1,
      by: {},
      id: 'x',
      content: 'mine',
      tags: [],
    } as const;
    await store.commit([{ rootId: 'x', runs: [], memory: [change] }]);
    await store.close();
    expect(await importInto(third, remembering)).toMatchObject({ ok: false, error: { details: { scope } } });
    expect(third.status(runId)).toBeUndefined();
  });
});

describe('a bundle', () => {
  it('that would be too large is cut off, and says so', async () => {
    const host = await bench();
    const runId = await sourceRun(host);
    const stored = host.reads.stored(CALLER.tenant, runId)!;
    const text = await debugBundle(host.reads, {
      row: stored.row,
      snapshot: snapshotOf(foldStored(stored), stored.row, []),
      host: { name: 'Baton', version: '0' },
      now: 0,
      maxBytes: 1500,
    });
    const bundle = JSON.parse(text);
    expect(bundle).toMatchObject({ truncated: true, truncatedReason: 'events_truncated_to_size_cap' });
    expect(bundle.metrics.eventCount).toBe(bundle.events.length);
    expect(bundle.events.length).toBeLessThan(host.events(runId).length);
    expect(await importInto(await bench(), bundle)).toMatchObject({
      ok: false,
      error: { error: 'bundle_invalid' },
    });
  });
});
