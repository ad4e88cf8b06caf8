import type { Command } from '@baton/engine';
import { describe, expect, it } from 'vitest';
import {
  boss,
  hand,
  inOrder,
  node,
  TERMINATE,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { answerTo, CALLER, creationOf, disk, on, runIdOf, settled, startTestEngine } from './test-engine.ts';

/** What is asked of a host: once, twice, together, by others, and while it stops. */

const noop = workflow('noop', [node('n', 'core.noop')]);
const GATES = [node('gate', 'core.approvalGate'), node('next', 'core.approvalGate')];
const gates = workflow('gates', GATES, { edges: inOrder(GATES) });
const EVE = { tenant: 'other', principal: 'eve' };

describe('idempotency', () => {
  const create = (key: string, request = 'r1') =>
    ({ ...creationOf('noop'), idempotency: { key, request } }) as const;

  it('gives the same run to requests with the same key, also when they arrive together', async () => {
    const host = await startTestEngine();
    await host.register(noop);
    const replies = await Promise.all(Array.from({ length: 5 }, () => host.execute(create('k'))));
    const later = await host.execute(create('k'));
    expect(new Set([...replies, later].map(runIdOf)).size).toBe(1);
    expect(replies.map((reply) => reply.ok && reply.replayed)).toEqual([false, true, true, true, true]);
    expect((await host.reads.runs({ tenant: CALLER.tenant, limit: 10 })).items).toHaveLength(1);
  });

  it('refuses the key of another request, and keeps tenants apart', async () => {
    const host = await startTestEngine();
    await host.register(noop);
    await host.execute(create('k'));
    const mismatch = { error: { error: 'idempotency_key_mismatch' } };
    expect(await host.execute(create('k', 'r2'))).toMatchObject(mismatch);
    const elsewhere = { ...create('k', 'r2'), caller: EVE };
    expect(await host.execute(elsewhere)).toMatchObject({ error: { error: 'not_found' } });
  });

  it('remembers over a restart', async () => {
    const before = await startTestEngine();
    await before.register(noop);
    const first = await before.execute(create('k'));
    const after = await before.crash();
    const value = first.ok ? first.value : {};
    expect(await after.execute(create('k'))).toMatchObject({ value, replayed: true });
  });

  it('forgets what was not stored, and tells nobody that it worked: the same request may succeed later', async () => {
    const { state, wrap } = disk();
    const host = await startTestEngine({ wrap });
    await host.register(noop);
    state.full = true;
    const replies = await Promise.all([host.execute(create('k')), host.execute(create('k'))]);
    const full = { error: { error: 'storage_full' } };
    expect(replies).toMatchObject([full, full]);
    state.full = false;
    expect(await host.execute(create('k'))).toMatchObject({ ok: true, replayed: false });
  });

  it('remembers the cancel of a run that had ended already', async () => {
    const host = await startTestEngine();
    await host.register(noop);
    const cancel = {
      ...on('cancel-run', await host.create('noop')),
      idempotency: { key: 'k', request: 'r' },
    };
    expect(await host.execute(cancel)).toMatchObject({ ok: true, replayed: false });
    expect(await host.execute(cancel)).toMatchObject({ ok: true, replayed: true });
  });
});

describe('an answer', () => {
  it('is the only one of two at once that is let through', async () => {
    const host = await startTestEngine();
    await host.register(gates);
    const runId = await host.create('gates');
    const answer = (action: string) => host.execute(answerTo(runId, 'gate', { action }));
    const replies = await Promise.all([answer('accept'), answer('reject')]);
    expect(replies.map((reply) => reply.ok)).toEqual([true, false]);
    expect(await host.of(runId, 'interrupt.resolved')).toHaveLength(1);
  });

  it('is refused after the time-out, whoever looks first', async () => {
    let now = Date.UTC(2026, 0, 1);
    const host = await startTestEngine({ clock: { now: () => now, at: () => () => undefined } });
    await host.register(workflow('w', [node('gate', 'core.approvalGate', { timeoutMs: 1000 })]));
    const runId = await host.create('w');
    now += 60_000;
    expect((await host.execute(answerTo(runId, 'gate'))).ok).toBe(false);
  });

  it('by interrupt id goes to that question, and to no other of the run', async () => {
    const host = await startTestEngine();
    await host.register(workflow('w', [node('a', 'core.approvalGate'), node('b', 'core.approvalGate')]));
    const runId = await host.create('w');
    const byId = { ...answerTo(runId, 'b'), target: { interruptId: 'b:1:1' }, viaToken: true };
    expect(await host.execute(byId)).toMatchObject({ ok: true });
    expect(await host.execute(byId)).toMatchObject({ error: { error: 'interrupt_resolved' } });
    expect((await host.of(runId, 'interrupt.resolved')).map(({ nodeId }) => nodeId)).toEqual(['b']);
  });
});

describe('versions', () => {
  const register = (definition: object, shared = false): Command => ({
    kind: 'register-workflow',
    caller: CALLER,
    definition: definition as never,
    shared,
  });

  it('let a run keep the definition it started with, while new runs and new children take the newest', async () => {
    const child = (typeId: string) => workflow('child', [node('n', typeId)]);
    const host = await startTestEngine();
    await host.register(boss([{ kind: 'ask-user', prompt: 'Now?' }, hand('child')]), child('core.noop'));
    const runId = await host.create('boss');
    await host.register(boss([]), child('core.fail'));
    await host.execute(answerTo(runId, 'dispatch', { answers: { answer: 'yes' } }));
    await settled();
    expect(await host.status(`${runId}.1`)).toBe('failed');
    expect(await host.of(await host.create('boss'), 'runOrchestrator.decided')).toHaveLength(1);
  });

  it('are not made of what has not changed', async () => {
    const host = await startTestEngine();
    expect(await host.execute(register(noop))).toMatchObject({ value: { version: 1, created: true } });
    expect(await host.execute(register(noop))).toMatchObject({ value: { version: 1, created: false } });
  });

  it('that are shared are run by every tenant, the newest of them, and others by their owner only', async () => {
    const host = await startTestEngine();
    const create = (workflowId: string) => host.execute({ ...creationOf(workflowId), caller: EVE });
    for (const [typeId, status] of [
      ['core.noop', 'completed'],
      ['core.fail', 'failed'],
    ] as const) {
      await host.execute(register(workflow('ours', [node('n', typeId)]), true));
      expect(await create('ours')).toMatchObject({ ok: true, value: { status } });
    }
    await host.execute(register(noop));
    expect((await create('noop')).ok).toBe(false);
  });
});

describe('tenants', () => {
  it.each(['gates', 'noop'])('have no word in a run of another one (%s)', async (workflowId) => {
    const host = await startTestEngine();
    await host.register(gates, noop);
    const runId = await host.create(workflowId);
    const events = (await host.events(runId)).length;
    for (const command of [on('cancel-run', runId), on('pause-run', runId), answerTo(runId, 'gate')]) {
      expect(await host.execute({ ...command, caller: EVE })).toMatchObject({
        error: { error: 'not_found' },
      });
    }
    expect(await host.events(runId)).toHaveLength(events);
  });
});

it('XHOST-17 Children belong to the caller, the scope and the trace of their parent', async () => {
  const host = await startTestEngine();
  await host.register(boss([hand('noop'), TERMINATE]), noop);
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const body = { workflowId: 'boss', scopeId: 'team-7' };
  const runId = runIdOf(await host.execute({ ...creationOf('boss'), body, traceparent }));
  const given = { owner: CALLER, scopeId: 'team-7', traceparent };
  expect((await host.events(`${runId}.1`))[0]?.payload).toMatchObject(given);
});

describe('slices', () => {
  it('let others have a turn while a long run is under way', async () => {
    const host = await startTestEngine();
    await host.register(boss(Array.from({ length: 2000 }, () => hand('noop'))), noop);
    const longId = runIdOf(await host.execute(creationOf('boss')));
    expect(await host.status(longId)).toBe('running');
    expect(await host.execute(creationOf('noop'))).toMatchObject({ value: { status: 'completed' } });
    expect(await host.status(longId)).toBe('running');
  });

  it('take no longer than the share of time of a tree, however many events a step makes', async () => {
    let time = 0;
    const sizes: number[] = [];
    const host = await startTestEngine({
      elapsed: () => ++time,
      wrap: (store) => ({
        ...store,
        commit: (slices) => {
          for (const slice of slices) sizes.push(slice.runs.reduce((sum, run) => sum + run.events.length, 0));
          return store.commit(slices);
        },
      }),
    });
    const nodes = Array.from({ length: 100 }, (_, index) => node(`n${index}`, 'core.noop'));
    await host.register(workflow('long', nodes, { edges: inOrder(nodes) }));
    const runId = await host.create('long');
    for (let turns = 0; turns < 50 && (await host.status(runId)) === 'running'; turns += 1) await settled();
    expect(await host.status(runId)).toBe('completed');
    expect(Math.max(...sizes)).toBeLessThan(32);
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
    const reply = await host.execute(creationOf('noop'));
    expect([reply.ok, stored]).toEqual([true, true]);
  });
});

it('A host that stops answers what it has accepted before it is done, and refuses what comes after', async () => {
  const host = await startTestEngine();
  await host.register(noop);
  const order: unknown[] = [];
  const accepted = host.execute(creationOf('noop')).then(({ ok }) => order.push(ok));
  const stopped = host.engine.stop().then(() => order.push('stopped'));
  const refused = { error: { error: 'shutting_down' } };
  expect(await host.execute(creationOf('noop'))).toMatchObject(refused);
  await Promise.all([accepted, stopped]);
  expect(order).toEqual([true, 'stopped']);
});
