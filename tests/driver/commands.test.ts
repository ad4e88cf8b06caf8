import { describe, expect, it } from 'vitest';
import { boss, hand, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { CALLER, settled, startTestEngine } from './test-engine.ts';

const noop = workflow('noop', [node('n', 'core.noop')]);
const gate = workflow('w', [node('gate', 'core.approvalGate')]);

describe('idempotency', () => {
  const create = (key: string, request = 'r1') =>
    ({
      kind: 'create-run',
      caller: CALLER,
      body: { workflowId: 'noop' },
      idempotency: { key, request },
    }) as const;

  it('gives the same run to requests with the same key, also when they arrive together', async () => {
    const host = await startTestEngine();
    await host.register(noop);
    const replies = await Promise.all(Array.from({ length: 5 }, () => host.execute(create('k'))));
    const later = await host.execute(create('k'));
    const ids = [...replies, later].map((reply) =>
      reply.ok && reply.value.kind === 'run' ? reply.value.runId : '',
    );
    expect(new Set(ids).size).toBe(1);
    expect(replies.map((reply) => reply.ok && reply.replayed)).toEqual([false, true, true, true, true]);
    expect((await host.reads.runs({ tenant: CALLER.tenant, limit: 10 })).items).toHaveLength(1);
  });

  it('refuses the key of another request, and keeps tenants apart', async () => {
    const host = await startTestEngine();
    await host.register(noop);
    await host.execute(create('k'));
    expect(await host.execute(create('k', 'r2'))).toMatchObject({
      error: { error: 'idempotency_key_mismatch' },
    });
    const elsewhere = { ...create('k', 'r2'), caller: { tenant: 'other', principal: 'eve' } };
    expect(await host.execute(elsewhere)).toMatchObject({ error: { error: 'not_found' } });
  });

  it('remembers over a restart', async () => {
    const before = await startTestEngine();
    await before.register(noop);
    const first = await before.execute(create('k'));
    const after = await before.crash();
    expect(await after.execute(create('k'))).toMatchObject({
      value: first.ok ? first.value : {},
      replayed: true,
    });
  });
});

describe('two answers at once', () => {
  it('lets one of them through', async () => {
    const host = await startTestEngine();
    await host.register(gate);
    const runId = await host.create('w');
    const answer = (action: string) =>
      host.execute({
        kind: 'resolve-interrupt',
        caller: CALLER,
        runId,
        target: { nodeId: 'gate' },
        resumeValue: { action },
        viaToken: false,
        scopes: [],
      });
    const replies = await Promise.all([answer('accept'), answer('reject')]);
    expect(replies.map((reply) => reply.ok)).toEqual([true, false]);
    expect((await host.types(runId)).filter((type) => type === 'interrupt.resolved')).toHaveLength(1);
  });

  it('lets a cancel go ahead of an answer that came in the same moment', async () => {
    const host = await startTestEngine();
    await host.register(gate);
    const runId = await host.create('w');
    const [answered, cancelled] = await Promise.all([
      host.execute({
        kind: 'resolve-interrupt',
        caller: CALLER,
        runId,
        target: { nodeId: 'gate' },
        resumeValue: { action: 'accept' },
        viaToken: false,
        scopes: [],
      }),
      host.execute({ kind: 'cancel-run', caller: CALLER, runId }),
    ]);
    expect([answered.ok, cancelled.ok]).toEqual([false, true]);
    expect(await host.status(runId)).toBe('cancelled');
  });
});

describe('versions', () => {
  it('lets a run keep the definition it started with, while new runs and new children take the newest', async () => {
    const parent = (plan: unknown[]) => boss(plan);
    const child = (typeId: string) => workflow('child', [node('n', typeId)]);
    const host = await startTestEngine();
    await host.register(parent([{ kind: 'ask-user', prompt: 'Now?' }, hand('child')]), child('core.noop'));
    const runId = await host.create('boss');
    await host.register(parent([]), child('core.fail'));
    await host.execute({
      kind: 'resolve-interrupt',
      caller: CALLER,
      runId,
      target: { nodeId: 'dispatch' },
      resumeValue: { answers: { answer: 'yes' } },
      viaToken: false,
      scopes: [],
    });
    await settled();
    expect(await host.status(`${runId}.1`)).toBe('failed');
    const fresh = await host.create('boss');
    expect((await host.types(fresh)).filter((type) => type === 'runOrchestrator.decided')).toHaveLength(1);
  });

  it('does not make a version of what has not changed', async () => {
    const host = await startTestEngine();
    const register = () =>
      host.execute({ kind: 'register-workflow', caller: CALLER, definition: noop as never, shared: false });
    expect(await register()).toMatchObject({ value: { version: 1, created: true } });
    expect(await register()).toMatchObject({ value: { version: 1, created: false } });
  });
});

describe('slices', () => {
  it('let others have a turn while a long run is under way', async () => {
    const host = await startTestEngine();
    await host.register(boss(Array.from({ length: 2000 }, () => hand('noop'))), noop);
    const long = await host.execute({ kind: 'create-run', caller: CALLER, body: { workflowId: 'boss' } });
    const longId = long.ok && long.value.kind === 'run' ? long.value.runId : '';
    expect(await host.status(longId)).toBe('running');
    const short = await host.execute({ kind: 'create-run', caller: CALLER, body: { workflowId: 'noop' } });
    expect(short).toMatchObject({ value: { status: 'completed' } });
    expect(await host.status(longId)).toBe('running');
  });

  it('tell nobody before they are durable', async () => {
    let stored = false;
    const host = await startTestEngine({
      wrap: (store) => ({
        ...store,
        commit: async (slices) => {
          const results = await store.commit(slices);
          stored = true;
          return results;
        },
      }),
    });
    await host.register(noop);
    host.engine.onNotices(() => expect(stored).toBe(true));
    const reply = await host.execute({ kind: 'create-run', caller: CALLER, body: { workflowId: 'noop' } });
    expect([reply.ok, stored]).toEqual([true, true]);
  });
});

describe('stopping', () => {
  it('answers what was accepted, and refuses what comes after', async () => {
    const host = await startTestEngine();
    await host.register(noop);
    const accepted = host.execute({ kind: 'create-run', caller: CALLER, body: { workflowId: 'noop' } });
    const stopped = host.engine.stop();
    expect(
      await host.execute({ kind: 'create-run', caller: CALLER, body: { workflowId: 'noop' } }),
    ).toMatchObject({
      error: { error: 'shutting_down' },
    });
    await stopped;
    expect(await accepted).toMatchObject({ ok: true });
  });
});
