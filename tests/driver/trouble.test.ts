import { join } from 'node:path';
import { newSigningKey, StorageFullError, signingKey } from '@baton/engine';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { CALLER, handClock, settled, startTestEngine } from './test-engine.ts';

const gate = workflow('w', [node('gate', 'core.approvalGate')]);
const accept = (runId: string) =>
  ({
    kind: 'resolve-interrupt',
    caller: CALLER,
    runId,
    target: { nodeId: 'gate' },
    resumeValue: { action: 'accept' },
    viaToken: false,
    scopes: [],
  }) as const;

describe('when the store is full', () => {
  function leaky() {
    const state = { full: false };
    return {
      state,
      wrap: <S extends { commit: (slices: readonly never[]) => Promise<unknown> }>(store: S): S => ({
        ...store,
        commit: (slices: readonly never[]) =>
          state.full ? Promise.reject(new StorageFullError()) : store.commit(slices),
      }),
    };
  }

  it('refuses new work with a clear error, keeps what was acknowledged, and goes on when there is room', async () => {
    const disk = leaky();
    const host = await startTestEngine({ wrap: disk.wrap as never });
    await host.register(gate);
    const runId = await host.create('w');
    disk.state.full = true;
    for (const command of [
      accept(runId),
      { kind: 'create-run', caller: CALLER, body: { workflowId: 'w' } } as const,
    ]) {
      expect(await host.execute(command)).toMatchObject({ ok: false, error: { error: 'storage_full' } });
    }
    expect(await host.status(runId)).toBe('waiting-approval');
    disk.state.full = false;
    expect(await host.execute(accept(runId))).toMatchObject({ ok: true });
    expect(await host.status(runId)).toBe('completed');
    expect(host.fatal).toEqual([]);
  });

  it('tries again later what nobody asked for: a deadline, the outcome of an effect', async () => {
    const disk = leaky();
    const time = handClock();
    let finish: () => void = () => undefined;
    const outcome = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const host = await startTestEngine({
      wrap: disk.wrap as never,
      clock: time.clock,
      perform: () => outcome.then(() => ({ kind: 'done', outputs: {} })),
    });
    await host.register(
      workflow('timed', [node('wait', 'core.delay', { ms: 10 })]),
      workflow('acting', [node('act', 'core.conformance.side-effect')]),
    );
    const [timed, acting] = [await host.create('timed'), await host.create('acting')];
    disk.state.full = true;
    finish();
    await time.move(10);
    expect([await host.status(timed), await host.status(acting)]).toEqual(['running', 'running']);
    disk.state.full = false;
    await time.move(1000);
    expect([await host.status(timed), await host.status(acting)]).toEqual(['completed', 'completed']);
    expect(host.performed).toHaveLength(1);
  });
});

describe('a defect in one run', () => {
  it('sets aside a run whose log cannot be folded, and nothing else', async () => {
    const before = await startTestEngine();
    await before.register(gate);
    const [broken, healthy] = [await before.create('w'), await before.create('w')];
    const raw = new Database(join(before.folder, 'baton.db'));
    raw
      .prepare(`UPDATE events SET data = replace(data, '"interrupt.requested"', '"never.heard.of"')
        WHERE run_no = (SELECT run_no FROM runs WHERE run_id = ?)`)
      .run(broken);
    raw.prepare('UPDATE runs SET unfinished = 1 WHERE run_id = ?').run(broken);
    raw.close();
    const after = await before.crash();
    expect(await after.status(broken)).toBe('failed');
    expect((await after.events(broken)).at(-1)).toMatchObject({
      type: 'run.failed',
      payload: { error: { code: 'run_quarantined' } },
    });
    expect(await after.execute(accept(healthy))).toMatchObject({ ok: true });
    expect(await after.status(healthy)).toBe('completed');
    expect((await after.reads.interrupts(CALLER.tenant, 10)).items).toEqual([]);
    const again = await after.crash();
    expect(again.logged).toEqual([]);
  });
});

describe('outcomes that come too late', () => {
  it('are kept beside the log, never in it', async () => {
    let finish: () => void = () => undefined;
    const outcome = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const host = await startTestEngine({
      perform: () => outcome.then(() => ({ kind: 'done', outputs: {} })),
    });
    await host.register(workflow('w', [node('act', 'core.conformance.side-effect')]));
    const runId = await host.create('w');
    await host.execute({ kind: 'cancel-run', caller: CALLER, runId });
    const length = (await host.events(runId)).length;
    finish();
    await settled();
    expect(await host.events(runId)).toHaveLength(length);
    const raw = new Database(join(host.folder, 'baton.db'), { readonly: true });
    expect(raw.prepare('SELECT count(*) AS n FROM late_outcomes').get()).toEqual({ n: 1 });
    raw.close();
  });

  it('are dropped where the run was erased meanwhile', async () => {
    let finish: () => void = () => undefined;
    const outcome = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const host = await startTestEngine({
      perform: () => outcome.then(() => ({ kind: 'done', outputs: {} })),
      auditKey: signingKey(newSigningKey(), 'test'),
    });
    await host.register(workflow('w', [node('act', 'core.conformance.side-effect')]));
    const runId = await host.create('w');
    await host.execute({ kind: 'cancel-run', caller: CALLER, runId });
    const erased = await host.execute({ kind: 'erase-run', caller: CALLER, runId, reason: 'asked to' });
    expect(erased).toMatchObject({ ok: true });
    finish();
    await settled();
    const raw = new Database(join(host.folder, 'baton.db'), { readonly: true });
    expect(raw.prepare('SELECT count(*) AS n FROM late_outcomes').get()).toEqual({ n: 0 });
    raw.close();
    expect(host.logged).toEqual([]);
  });
});

describe('someone else moved the run', () => {
  it('does the command again from what is stored', async () => {
    let conflicts = 1;
    const host = await startTestEngine({
      wrap: (store) => ({
        ...store,
        commit: async (slices) =>
          slices.some((slice) => slice.runs.some((run) => run.expectedHead > 0)) && conflicts-- > 0
            ? slices.map(() => 'conflict' as const)
            : store.commit(slices),
      }),
    });
    await host.register(gate);
    const runId = await host.create('w');
    expect(await host.execute(accept(runId))).toMatchObject({ ok: true });
    expect(await host.status(runId)).toBe('completed');
    expect((await host.types(runId)).filter((type) => type === 'approval.received')).toHaveLength(1);
  });
});

describe('more data than an event may hold', () => {
  const huge = 'x'.repeat(1024 * 1024);

  it('is refused when a caller brings it, and the run goes on', async () => {
    const host = await startTestEngine();
    await host.register(gate);
    const runId = await host.create('w');
    for (const command of [
      { kind: 'create-run', caller: CALLER, body: { workflowId: 'w', inputs: { huge } } } as const,
      { ...accept(runId), resumeValue: { action: 'accept', comment: huge } },
    ]) {
      expect(await host.execute(command)).toMatchObject({ error: { error: 'payload_too_large' } });
    }
    expect(await host.execute(accept(runId))).toMatchObject({ ok: true });
    expect(await host.status(runId)).toBe('completed');
  });

  it('makes an effect fail that brings it back', async () => {
    const host = await startTestEngine({ perform: async () => ({ kind: 'done', outputs: { huge } }) });
    await host.register(workflow('w', [node('act', 'core.conformance.side-effect')]));
    const runId = await host.create('w');
    expect((await host.events(runId)).at(-1)).toMatchObject({
      payload: { error: { code: 'event_too_large' } },
    });
  });
});
