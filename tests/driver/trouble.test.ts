import { join } from 'node:path';
import { newSigningKey, type Slice, StorageFullError, type Store, signingKey } from '@baton/engine';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { inOrder, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import {
  answerTo,
  type Bench,
  CALLER,
  creationOf,
  disk,
  handClock,
  latch,
  on,
  settled,
  startTestEngine,
} from './test-engine.ts';

const GATES = [node('gate', 'core.approvalGate'), node('next', 'core.approvalGate')];
const gates = workflow('gates', GATES, { edges: inOrder(GATES) });
const acting = workflow('acting', [node('act', 'core.conformance.side-effect')]);
const QUARANTINED = { type: 'run.failed', payload: { error: { code: 'run_quarantined' } } };
const DEFECT = { ok: false, error: { error: 'internal_error' } };

/** A host on which the outcome of the effects comes when the test says so. */
async function holdingEffects(options: Parameters<typeof startTestEngine>[0] = {}) {
  const { opened, open } = latch();
  const perform = () => opened.then(() => ({ kind: 'done', outputs: {} }) as const);
  const host = await startTestEngine({ perform, ...options });
  await host.register(acting);
  return { host, finish: open };
}

function query(host: Bench, sql: string): unknown {
  const raw = new Database(join(host.folder, 'baton.db'), { readonly: true });
  const found = raw.prepare(sql).pluck().get();
  raw.close();
  return found;
}

describe('a slice that was not stored', () => {
  it.each([
    ['because there was no room', () => Promise.reject(new StorageFullError()), 'storage_full'],
    ['because of a conflict', (slices: readonly Slice[]) => slices.map(() => 'conflict' as const), 'ok'],
  ])('leaves nothing behind in memory, %s', async (_why, fail, answered) => {
    let times = 0;
    const host = await startTestEngine({
      wrap: (store) => ({
        ...store,
        commit: async (slices) =>
          slices.some((slice) => slice.runs.some((run) => run.expectedHead > 0)) && times-- > 0
            ? fail(slices)
            : store.commit(slices),
      }),
    });
    await host.register(gates);
    const runId = await host.create('gates');
    times = 1;
    const reply = await host.execute(answerTo(runId, 'gate'));
    expect(reply.ok ? 'ok' : reply.error.error).toBe(answered);
    if (!reply.ok) expect(await host.execute(answerTo(runId, 'gate'))).toMatchObject({ ok: true });
    expect(await host.execute(answerTo(runId, 'next'))).toMatchObject({ ok: true });
    expect(await host.status(runId)).toBe('completed');
    expect(await host.of(runId, 'approval.received')).toHaveLength(2);
    expect(host.fatal).toEqual([]);
  });

  it('performs no effect that it intended, and registers nothing', async () => {
    const { state, wrap } = disk();
    const host = await startTestEngine({ wrap });
    await host.register(acting);
    state.full = true;
    const full = { error: { error: 'storage_full' } };
    expect(await host.execute(creationOf('acting'))).toMatchObject(full);
    await settled();
    expect(host.performed).toEqual([]);
    const definition = gates as never;
    const register = { kind: 'register-workflow', caller: CALLER, definition, shared: false } as const;
    expect(await host.execute(register)).toMatchObject(full);
  });

  it('is tried again later if nobody asked for it: a deadline, the outcome of an effect', async () => {
    const { state, wrap } = disk();
    const time = handClock();
    const { host, finish } = await holdingEffects({ wrap, clock: time.clock });
    await host.register(workflow('timed', [node('wait', 'core.delay', { ms: 10 })]));
    const runs = [await host.create('timed'), await host.create('acting')];
    const statuses = () => Promise.all(runs.map((runId) => host.status(runId)));
    state.full = true;
    finish();
    await time.move(10);
    expect(await statuses()).toEqual(['running', 'running']);
    state.full = false;
    await time.move(1000);
    expect(await statuses()).toEqual(['completed', 'completed']);
    expect(host.performed).toHaveLength(1);
  });
});

it('A run whose log cannot be folded is set aside, and nothing else', async () => {
  const before = await startTestEngine();
  await before.register(gates);
  const [broken, healthy] = [await before.create('gates'), await before.create('gates')];
  const raw = new Database(join(before.folder, 'baton.db'));
  raw
    .prepare(`UPDATE events SET data = replace(data, '"interrupt.requested"', '"never.heard.of"')
        WHERE run_no = (SELECT run_no FROM runs WHERE run_id = ?)`)
    .run(broken);
  raw.prepare('UPDATE runs SET unfinished = 1 WHERE run_id = ?').run(broken);
  raw.close();
  const after = await before.crash();
  expect(await after.status(broken)).toBe('failed');
  expect((await after.events(broken)).at(-1)).toMatchObject(QUARANTINED);
  for (const nodeId of ['gate', 'next'])
    expect(await after.execute(answerTo(healthy, nodeId))).toMatchObject({ ok: true });
  expect(await after.status(healthy)).toBe('completed');
  expect((await after.reads.interrupts(CALLER.tenant, 10)).items).toEqual([]);
  expect((await after.crash()).logged).toEqual([]);
});

describe('outcomes that come too late', () => {
  it.each([
    ['are kept beside the log, never in it', false],
    ['are dropped where the run was erased meanwhile', true],
  ])('%s', async (_what, erases) => {
    const { host, finish } = await holdingEffects({ auditKey: signingKey(newSigningKey(), 'test') });
    const runId = await host.create('acting');
    await host.execute(on('cancel-run', runId));
    const erase = { kind: 'erase-run', caller: CALLER, runId, reason: 'asked to' } as const;
    if (erases) expect(await host.execute(erase)).toMatchObject({ ok: true });
    const { length } = await host.events(runId);
    finish();
    await settled();
    expect(await host.events(runId)).toHaveLength(length);
    expect(query(host, 'SELECT count(*) FROM late_outcomes')).toBe(erases ? 0 : 1);
    expect(host.logged).toEqual([]);
  });
});

describe('more data than an event may hold', () => {
  const huge = 'x'.repeat(1024 * 1024);

  it('is refused when a caller brings it, and the run goes on', async () => {
    const host = await startTestEngine();
    await host.register(gates);
    const runId = await host.create('gates');
    for (const command of [
      { ...creationOf('gates'), body: { workflowId: 'gates', inputs: { huge } } },
      answerTo(runId, 'gate', { action: 'accept', comment: huge }),
    ])
      expect(await host.execute(command)).toMatchObject({ error: { error: 'payload_too_large' } });
    expect(await host.execute(answerTo(runId, 'gate'))).toMatchObject({ ok: true });
  });

  it('makes an effect fail that brings it back', async () => {
    const host = await startTestEngine({ perform: async () => ({ kind: 'done', outputs: { huge } }) });
    await host.register(acting);
    const [failed] = await host.of(await host.create('acting'), 'run.failed');
    expect(failed?.payload.error.code).toBe('event_too_large');
  });
});

/** The real store, given slices with a time that no column takes wherever `unfit` says so. */
function spoiling(unfit: (slice: Slice) => boolean) {
  const spoil = (slice: Slice): Slice => ({
    ...slice,
    ...(slice.lateOutcome && { lateOutcome: { ...slice.lateOutcome, at: 1e300 } }),
    runs: slice.runs.map((run) => ({ ...run, at: 1e300 })),
  });
  return (store: Store): Store => ({
    ...store,
    commit: (slices) => store.commit(slices.map((slice) => (unfit(slice) ? spoil(slice) : slice))),
  });
}

const isQuarantine = ({ runs }: Slice) =>
  runs.some(({ events }) => events.some((text) => text.includes('run_quarantined')));

describe('a slice that the store refuses for its content', () => {
  it('ends its own tree with an answer, and the others of its round are stored', async () => {
    const bad = new Set<string>();
    const wrap = spoiling((slice) => bad.has(slice.rootId) && !isQuarantine(slice));
    const host = await startTestEngine({ wrap });
    await host.register(gates);
    const [poisoned, healthy] = [await host.create('gates'), await host.create('gates')];
    bad.add(poisoned);
    const replies = [poisoned, healthy].map((runId) => host.execute(answerTo(runId, 'gate')));
    expect(await Promise.all(replies)).toMatchObject([DEFECT, { ok: true }]);
    await settled();
    expect((await host.events(poisoned)).at(-1)).toMatchObject(QUARANTINED);
    const open = (await host.reads.interrupts(CALLER.tenant, 10)).items;
    expect(open.map(({ runId, nodeId }) => [runId, nodeId])).toEqual([[healthy, 'next']]);
    expect(host.logged.join('\n')).toMatch(/refused a slice for its content .*SQLITE_CONSTRAINT/);
    expect(host.fatal).toEqual([]);
  });

  it('is not tried for ever, not even when the tree cannot be set aside either', async () => {
    let attempts = 0;
    const bad = new Set<string>();
    const wrap = spoiling((slice) => {
      if (bad.has(slice.rootId)) attempts += 1;
      return bad.has(slice.rootId);
    });
    const host = await startTestEngine({ wrap });
    await host.register(gates);
    const [poisoned, healthy] = [await host.create('gates'), await host.create('gates')];
    bad.add(poisoned);
    expect(await host.execute(answerTo(poisoned, 'gate'))).toMatchObject(DEFECT);
    await settled();
    expect(attempts).toBe(2);
    expect(await host.execute(answerTo(healthy, 'gate'))).toMatchObject({ ok: true });
    expect(host.fatal).toEqual([]);
  });

  it('leaves nothing of a run that it would have created', async () => {
    let refusing = true;
    const host = await startTestEngine({ wrap: spoiling(() => refusing) });
    await host.register(gates);
    expect(await host.execute(creationOf('gates'))).toMatchObject(DEFECT);
    refusing = false;
    expect(await host.execute(creationOf('gates'))).toMatchObject({ ok: true });
    expect((await host.reads.runs({ tenant: CALLER.tenant, limit: 10 })).items).toHaveLength(1);
    expect(host.fatal).toEqual([]);
  });

  it('does not set a tree aside for an outcome that came too late', async () => {
    const wrap = spoiling((slice) => slice.lateOutcome !== undefined);
    const { host, finish } = await holdingEffects({ wrap });
    const runId = await host.create('acting');
    await host.execute(on('cancel-run', runId));
    finish();
    await settled();
    expect(await host.status(runId)).toBe('cancelled');
    expect(host.logged.join('\n')).toMatch(/refused a slice for its content/);
    expect(host.fatal).toEqual([]);
  });
});

it('A database that is broken still stops the process', async () => {
  const host = await startTestEngine();
  await host.register(gates);
  const runId = await host.create('gates');
  const raw = new Database(join(host.folder, 'baton.db'));
  raw.exec('DROP TABLE interrupts');
  raw.close();
  void host.execute(answerTo(runId, 'gate'));
  await settled();
  expect(host.fatal).toHaveLength(1);
});
