import { auditPage, foldStored, newSigningKey, signingKey } from '@baton/engine';
import { extendChain } from '@baton/protocol';
import { openSqliteStore } from '@baton/store-sqlite';
import { describe, expect, it } from 'vitest';
import { completingPlaces } from '../../packages/conformance/src/store-contract/under-test.ts';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { bundleOf, checked, openedIn } from '../bundles.ts';
import { type Bench, CALLER, settled, startTestEngine } from '../driver/test-engine.ts';

/** Forks and memory in a bundle. The forks are written by hand: what matters here is what is stored. */

const KEY = signingKey(newSigningKey(), 'a test');
const F1 = '019c0000-0000-7000-8000-0000000000f1';
const F2 = '019c0000-0000-7000-8000-0000000000f2';
const F3 = '019c0000-0000-7000-8000-0000000000f3';
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
  const shared = await host.reads.events(CALLER.tenant, sourceRunId, 0, fromSeq);
  const store = completingPlaces(openSqliteStore(host.folder));
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

async function findings({ reads }: Bench) {
  return (await auditPage(reads, KEY, { limit: 100, place: { part: 'runs', after: 0 } })).findings;
}

describe('a fork in a bundle', () => {
  it('comes with as much of its source as it shares, through any number of forks', async () => {
    const host = await startTestEngine();
    const source = await sourceRun(host);
    const head = (await host.events(source)).length;
    await fork(host, source, F1, head - 2);
    await fork(host, F1, F2, head - 1);
    await fork(host, F2, F3, head - 2);
    expect(await findings(host)).toEqual([]);
    for (const [runId, runs] of [
      [F1, [F1, source]],
      [F2, [F1, F2, source]],
      [F3, [F1, F2, F3, source]],
    ] as const) {
      const bundle = await bundleOf(host, runId);
      expect(bundle.events).toEqual(await host.events(runId));
      expect(bundle.baton?.runs.map((run) => run.runId).sort()).toEqual([...runs].sort());

      expect(checked(bundle)).toMatchObject({ runId, runs: runs.length, verified: true });
      const other = await openedIn(bundle);
      const told = ({ reads }: Bench) => reads.events(CALLER.tenant, runId, 0, 1000);
      expect(await told(other)).toEqual(await told(host));
      const state = async ({ reads }: Bench) => foldStored((await reads.stored(CALLER.tenant, runId))!);
      expect(await state(other)).toEqual(await state(host));
      expect(await findings(other)).toEqual([]);
    }
  });

  it('of a child whose root is not in the bundle is opened', async () => {
    const host = await startTestEngine();
    const source = await sourceRun(host);
    const bundle = await bundleOf(host, source);
    const child = `${source}.1`;
    const text = JSON.stringify(bundle).replaceAll(`"${source}:`, `"${child}:`);
    const log = JSON.parse(text).events.map((event: object) => ({ ...event, runId: child }));
    const places = bundle.baton!.runs[0]!.places;
    const [main] = bundle.baton!.runs;
    const shared = 2;
    const own = { ...log[log.length - 1], eventId: `${F1}:${shared}`, runId: F1, sequence: shared };
    delete own.causationId;
    const { chain: _chain, steps: _steps, ...record } = main!;
    const childRecord = {
      ...record,
      runId: child,
      parentRunId: source,
      part: 'source' as const,
      events: log.slice(0, shared),
      places: places.slice(0, shared),
    };
    const fork = {
      sourceRunId: child,
      fromSeq: shared,
      mode: 'branch' as const,
      models: 'live' as const,
      live: [],
    };
    const forkRecord = { ...record, runId: F1, rootId: F1, fork, places: [places.at(-1)! + 1] };
    const forged = {
      ...bundle,
      run: { ...bundle.run, runId: F1 },
      events: [...log.slice(0, shared), own],
      baton: { ...bundle.baton!, runs: [childRecord, forkRecord] },
    };
    expect(checked(forged)).toMatchObject({ runId: F1, runs: 2, verified: false });
    const other = await openedIn(forged);
    expect(await other.events(F1)).toHaveLength(3);
    expect(other.fatal).toEqual([]);
  });

  it('keeps its source from being erased, until it is erased itself', async () => {
    const host = await startTestEngine({ auditKey: KEY });
    const source = await sourceRun(host);
    const head = (await host.events(source)).length;
    await fork(host, source, F1, head - 1);
    const erase = (runId: string) =>
      host.execute({ kind: 'erase-run', caller: CALLER, runId, reason: 'asked to' });
    expect(await erase(source)).toMatchObject({
      ok: false,
      error: { error: 'run_has_forks', details: { forks: [F1] } },
    });
    expect(await erase(F1)).toMatchObject({ ok: true });
    expect(await findings(host)).toEqual([]);
    expect(await erase(source)).toMatchObject({ ok: true });
    expect(await findings(host)).toEqual([]);
  });
});

describe('a bundle', () => {
  it('that would be too large is cut off, and says so', async () => {
    const host = await startTestEngine();
    const runId = await sourceRun(host);
    const bundle = await bundleOf(host, runId, { maxBytes: 1500 });
    expect(bundle).toMatchObject({ truncated: true, truncatedReason: 'events_truncated_to_size_cap' });
    expect(bundle.metrics?.eventCount).toBe(bundle.events.length);
    expect(bundle.events.length).toBeLessThan((await host.events(runId)).length);
    expect(checked(bundle)).toContain('cut off because the run is too large');
  });
});
