import { StorageFullError, type Store } from '@baton/engine';
import { describe, expect, it } from 'vitest';
import {
  boss,
  edge,
  hand,
  node,
  TERMINATE,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { verifies } from '../verifies.ts';
import { CALLER, handClock, settled, startTestEngine } from './test-engine.ts';

const noop = workflow('noop', [node('n', 'core.noop')]);
const answer = (runId: string, nodeId = 'gate') =>
  ({
    kind: 'resolve-interrupt',
    caller: CALLER,
    runId,
    target: { nodeId },
    resumeValue: { action: 'accept' },
    viaToken: false,
    scopes: [],
  }) as const;

describe('after a crash', () => {
  it('goes on from a checkpoint and the events after it, without reading the log before', async () => {
    const set = (id: string) => node(id, 'vendor.baton.set', { assign: { text: 'inputs.text' } });
    const nodes = [set('a'), node('first', 'core.approvalGate'), node('second', 'core.approvalGate')];
    const before = await startTestEngine();
    await before.register(workflow('w', nodes, { edges: [edge('a', 'first'), edge('first', 'second')] }));
    const runId = await before.create('w', { text: 'x'.repeat(40_000) });
    await before.execute(answer(runId, 'first'));
    const stored = await before.reads.stored(CALLER.tenant, runId);
    expect(stored?.savedState?.sequence).toBeGreaterThan(0);
    expect(stored?.tail.length).toBeLessThan(stored?.row.head ?? 0);
    const after = await before.crash();
    expect(await after.execute(answer(runId, 'second'))).toMatchObject({ ok: true });
    expect(await after.status(runId)).toBe('completed');
    expect(after.logged).toEqual([]);
  });
});

describe('time', () => {
  it('wakes a tree at the earliest deadline of its runs', async () => {
    const time = handClock();
    const host = await startTestEngine({ clock: time.clock });
    await host.register(
      workflow('p', [
        node('long', 'core.delay', { ms: 60_000 }),
        node('call', 'core.subWorkflow', { workflowId: 'c' }),
      ]),
      workflow('c', [node('short', 'core.delay', { ms: 1000 })]),
    );
    const runId = await host.create('p');
    await time.move(1000);
    expect(await host.status(`${runId}.1`)).toBe('completed');
    expect(await host.status(runId)).toBe('running');
  });
});

describe('the status of a parent', () => {
  it('follows what its child waits for, also when the parent itself records nothing', async () => {
    verifies('HAND-30');
    const time = handClock();
    const host = await startTestEngine({ clock: time.clock });
    await host.register(
      boss([hand('w'), TERMINATE]),
      workflow('w', [node('wait', 'core.delay', { ms: 10 }), node('gate', 'core.approvalGate')], {
        edges: [edge('wait', 'gate')],
      }),
    );
    const runId = await host.create('boss');
    const head = (await host.events(runId)).length;
    expect(await host.status(runId)).toBe('running');
    await time.move(10);
    expect(await host.events(runId)).toHaveLength(head);
    expect(await host.status(runId)).toBe('waiting-approval');
  });
});

describe('children', () => {
  it('belong to the caller, the scope and the trace of their parent', async () => {
    verifies('XHOST-17');
    const host = await startTestEngine();
    await host.register(boss([hand('noop'), TERMINATE]), noop);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const reply = await host.execute({
      kind: 'create-run',
      caller: CALLER,
      body: { workflowId: 'boss', scopeId: 'team-7' },
      traceparent,
    });
    const runId = reply.ok && reply.value.kind === 'run' ? reply.value.runId : '';
    expect((await host.events(`${runId}.1`))[0]?.payload).toMatchObject({
      owner: CALLER,
      scopeId: 'team-7',
      traceparent,
    });
  });
});

const twoGates = workflow('gates', [node('gate', 'core.approvalGate'), node('next', 'core.approvalGate')], {
  edges: [edge('gate', 'next')],
});

/** A store that does not take the next slices that move a run, in the way that `fail` says. */
function refusing(fail: (slices: readonly unknown[]) => Promise<never> | Promise<'conflict'[]>) {
  const state = { times: 0 };
  const wrap = (store: Store): Store => ({
    ...store,
    commit: (slices) =>
      slices.some((slice) => slice.runs.some((run) => run.expectedHead > 0)) && state.times-- > 0
        ? fail(slices)
        : store.commit(slices),
  });
  return { state, wrap };
}

describe('a slice that was not stored', () => {
  it.each([
    ['because there was no room', () => Promise.reject(new StorageFullError()), false],
    [
      'because of a conflict',
      (slices: readonly unknown[]) => Promise.resolve(slices.map(() => 'conflict' as const)),
      true,
    ],
  ])('leaves nothing behind in memory, %s', async (_why, fail, answered) => {
    const disk = refusing(fail);
    const host = await startTestEngine({ wrap: disk.wrap });
    await host.register(twoGates);
    const runId = await host.create('gates');
    disk.state.times = 1;
    expect((await host.execute(answer(runId))).ok).toBe(answered);
    if (!answered) expect(await host.execute(answer(runId))).toMatchObject({ ok: true });
    expect(await host.execute(answer(runId, 'next'))).toMatchObject({ ok: true });
    expect(await host.status(runId)).toBe('completed');
    expect((await host.types(runId)).filter((type) => type === 'approval.received')).toHaveLength(2);
    expect(host.fatal).toEqual([]);
  });

  it('performs no effect that it intended', async () => {
    const host = await startTestEngine({
      wrap: (store) => ({ ...store, commit: () => Promise.reject(new StorageFullError()) }),
    });
    await host.register(workflow('acting', [node('act', 'core.conformance.side-effect')]));
    const reply = await host.execute({ kind: 'create-run', caller: CALLER, body: { workflowId: 'acting' } });
    await settled();
    expect(reply).toMatchObject({ error: { error: 'storage_full' } });
    expect(host.performed).toEqual([]);
  });
});

describe('time', () => {
  it('wakes for the earlier of two runs, whichever came first', async () => {
    const time = handClock();
    const host = await startTestEngine({ clock: time.clock });
    const wait = (id: string, ms: number) => workflow(id, [node('wait', 'core.delay', { ms })]);
    await host.register(wait('long', 60_000), wait('short', 1000));
    const [long, short] = [await host.create('long'), await host.create('short')];
    await time.move(1000);
    expect([await host.status(long), await host.status(short)]).toEqual(['running', 'completed']);
  });

  it('sets its alarm again after a start, for what is not due yet', async () => {
    const time = handClock();
    const before = await startTestEngine({ clock: time.clock });
    await before.register(workflow('w', [node('wait', 'core.delay', { ms: 60_000 })]));
    const runId = await before.create('w');
    const later = handClock(time.clock.now() + 1000);
    const after = await before.crash({ clock: later.clock });
    await later.move(59_000);
    expect(await after.status(runId)).toBe('completed');
  });

  it('does not look again and again at a tree that a pause holds past its deadline', async () => {
    const time = handClock();
    let looks = 0;
    const host = await startTestEngine({
      clock: time.clock,
      wrap: (store) => ({
        ...store,
        due: (...asked) => {
          looks += 1;
          return store.due(...asked);
        },
      }),
    });
    await host.register(
      boss([hand('w'), TERMINATE]),
      workflow('w', [node('wait', 'core.delay', { ms: 1000 })]),
    );
    const runId = await host.create('boss');
    await host.execute({ kind: 'pause-run', caller: CALLER, runId, drainPolicy: 'immediate' });
    await time.move(5000);
    const before = looks;
    for (let turns = 0; turns < 5; turns += 1) await time.move(20);
    expect(looks - before).toBeLessThanOrEqual(1);
  });
});

describe('idempotency', () => {
  const keyed = (command: object) => ({ ...command, idempotency: { key: 'k', request: 'r' } }) as never;
  const create = { kind: 'create-run', caller: CALLER, body: { workflowId: 'noop' } };

  it('forgets what was not stored: the same request may succeed later', async () => {
    let full = true;
    const host = await startTestEngine({
      wrap: (store) => ({
        ...store,
        commit: (slices) => (full ? Promise.reject(new StorageFullError()) : store.commit(slices)),
      }),
    });
    await host.register(noop);
    expect(await host.execute(keyed(create))).toMatchObject({ error: { error: 'storage_full' } });
    full = false;
    expect(await host.execute(keyed(create))).toMatchObject({ ok: true, replayed: false });
  });

  it('remembers the cancel of a run that had ended already', async () => {
    const host = await startTestEngine();
    await host.register(noop);
    const cancel = keyed({ kind: 'cancel-run', caller: CALLER, runId: await host.create('noop') });
    expect(await host.execute(cancel)).toMatchObject({ ok: true, replayed: false });
    expect(await host.execute(cancel)).toMatchObject({ ok: true, replayed: true });
  });
});

describe('tenants', () => {
  it.each(['gates', 'noop'])('have no word in a run of another one (%s)', async (workflowId) => {
    const host = await startTestEngine();
    await host.register(twoGates, noop);
    const runId = await host.create(workflowId);
    const events = (await host.events(runId)).length;
    const eve = { tenant: 'other', principal: 'eve' };
    for (const command of [
      { kind: 'cancel-run', caller: eve, runId },
      { kind: 'pause-run', caller: eve, runId, drainPolicy: 'immediate' },
      { ...answer(runId), caller: eve },
    ] as const) {
      expect(await host.execute(command)).toMatchObject({ error: { error: 'not_found' } });
    }
    expect(await host.events(runId)).toHaveLength(events);
  });
});

describe('stopping', () => {
  it('is over only when everything that was accepted has been answered', async () => {
    const host = await startTestEngine();
    await host.register(noop);
    const order: string[] = [];
    const accepted = host.execute({ kind: 'create-run', caller: CALLER, body: { workflowId: 'noop' } });
    await Promise.all([
      accepted.then(() => order.push('answered')),
      host.engine.stop().then(() => order.push('stopped')),
    ]);
    expect(order).toEqual(['answered', 'stopped']);
  });
});

describe('versions', () => {
  it.each([false, true])('takes the newest for the next run (shared: %s)', async (shared) => {
    const host = await startTestEngine();
    const register = (typeId: string) =>
      host.execute({
        kind: 'register-workflow',
        caller: CALLER,
        definition: workflow('w', [node('n', typeId)]) as never,
        shared,
      });
    await register('core.noop');
    expect(await host.status(await host.create('w'))).toBe('completed');
    await register('core.fail');
    expect(await host.status(await host.create('w'))).toBe('failed');
  });

  it('lets every tenant run what is shared, and only the owner what is not', async () => {
    const host = await startTestEngine();
    const eve = { tenant: 'other', principal: 'eve' };
    for (const [id, shared] of [
      ['ours', true],
      ['mine', false],
    ] as const) {
      const definition = workflow(id, [node('n', 'core.noop')]) as never;
      await host.execute({ kind: 'register-workflow', caller: CALLER, definition, shared });
    }
    const create = (workflowId: string) =>
      host.execute({ kind: 'create-run', caller: eve, body: { workflowId } });
    expect([(await create('ours')).ok, (await create('mine')).ok]).toEqual([true, false]);
  });
});

describe('effects', () => {
  it('ignores the outcome of an attempt that was given up', async () => {
    const finish: (() => void)[] = [];
    const time = handClock();
    const host = await startTestEngine({
      clock: time.clock,
      perform: (effect) =>
        new Promise((resolve) => finish.push(() => resolve({ kind: 'done', outputs: { key: effect.key } }))),
    });
    const settings = { timeoutMs: 10, retry: { maxRetries: 1, backoffMs: 0 } };
    await host.register(workflow('w', [node('act', 'core.conformance.side-effect', {}, { settings })]));
    const runId = await host.create('w');
    await time.move(10);
    await time.move(1);
    finish[0]?.();
    await settled();
    expect(await host.status(runId)).toBe('running');
    finish[1]?.();
    await settled();
    expect(
      (await host.events(runId)).find((event) => event.type === 'node.completed')?.payload,
    ).toMatchObject({
      outputs: { key: `${runId}/act/1/2/1` },
    });
  });

  it('fails a node whose effect could not even be tried', async () => {
    const host = await startTestEngine({ perform: () => Promise.reject(new Error('no route')) });
    await host.register(workflow('w', [node('act', 'core.conformance.side-effect')]));
    const runId = await host.create('w');
    await settled();
    expect((await host.events(runId)).at(-1)?.payload).toMatchObject({
      error: { message: expect.stringContaining('no route') },
    });
  });
});

describe('an answer by interrupt id', () => {
  it('goes to that question, and to no other of the run', async () => {
    const host = await startTestEngine();
    await host.register(workflow('w', [node('a', 'core.approvalGate'), node('b', 'core.approvalGate')]));
    const runId = await host.create('w');
    const give = (interruptId: string) =>
      host.execute({ ...answer(runId), target: { interruptId }, viaToken: true });
    expect(await give('b:1:1')).toMatchObject({ ok: true });
    expect(await give('b:1:1')).toMatchObject({ error: { error: 'interrupt_resolved' } });
    const resolved = (await host.events(runId)).filter((event) => event.type === 'interrupt.resolved');
    expect(resolved.map((event) => event.nodeId)).toEqual(['b']);
  });
});
