import { describe, expect, it } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { type Bench, CALLER, creationOf, handClock, on, settled, startTestEngine } from './test-engine.ts';

const WAITING = workflow('w', [node('wait', 'core.delay', { ms: 1000 }), node('then', 'core.noop')]);

async function waitingRun(time = handClock()) {
  const host = await startTestEngine({ clock: time.clock });
  await host.register(WAITING);
  return { host, time, runId: await host.create('w') };
}

const heldIn = async (host: Bench) =>
  (await host.reads.heldTrees(10)).trees.map(({ rootId, held }) => [rootId, held.reason]);

describe('a tree that was being worked on when the engine was lost', () => {
  it('is held at the third loss in a row, and not computed', async () => {
    const { host, time, runId } = await waitingRun();
    let again = host;
    for (let loss = 1; loss <= 3; loss += 1) {
      expect(await heldIn(again)).toEqual([]);
      again = await again.crash({ losses: [{ rootId: runId, how: 'lost' }] });
    }
    expect(await heldIn(again)).toEqual([[runId, 'lost']]);
    expect(again.logged.join()).toContain('a tree is held');
    await time.move(1000);
    expect(await again.status(runId)).toBe('running');
    const later = await again.crash();
    await time.move(1000);
    expect(await later.status(runId)).toBe('running');
  });

  it('is held at once when the engine did not come back from it', async () => {
    const { host, runId } = await waitingRun();
    const again = await host.crash({ losses: [{ rootId: runId, how: 'stalled' }] });
    expect(await heldIn(again)).toEqual([[runId, 'stalled']]);
  });

  it('starts to count anew once it has made progress', async () => {
    const { host, time, runId } = await waitingRun();
    const loss = { losses: [{ rootId: runId, how: 'lost' as const }] };
    const second = await (await host.crash(loss)).crash(loss);
    expect(await second.store.troubledTrees()).toMatchObject([{ rootId: runId, losses: 2 }]);
    expect(await second.execute(on('pause-run', runId))).toMatchObject({ ok: true });
    await settled();
    expect(await second.store.troubledTrees()).toEqual([]);
    const third = await second.crash(loss);
    expect(await heldIn(third)).toEqual([]);
    await third.execute(on('resume-run', runId));
    await time.move(1000);
    expect(await third.status(runId)).toBe('completed');
  });

  it('has made no progress when it was looked at and did nothing', async () => {
    const { host, time, runId: rootId } = await waitingRun();
    let again = host;
    for (let loss = 1; loss <= 3; loss += 1) {
      expect(await heldIn(again)).toEqual([]);
      // Recovery looks at the tree, finds nothing to do, and stores only when it is due.
      const from = await again.store.newestPlace(rootId);
      const wake = { at: time.clock.now(), unfinished: true };
      await again.store.commit([{ rootId, from, runs: [], wake }]);
      again = await again.crash({ losses: [{ rootId, how: 'lost' }] });
    }
    expect(await heldIn(again)).toEqual([[rootId, 'lost']]);
  });

  it('comes after all trees of its tenant that are not suspected', async () => {
    const { host, time, runId } = await waitingRun();
    const others = [await host.create('w'), await host.create('w')];
    const worked: string[] = [];
    const inHand = { take: ({ rootId = '' }) => void worked.push(rootId), putDown: () => undefined };
    const later = handClock(time.clock.now() + 1000);
    const again = await host.crash({ losses: [{ rootId: runId, how: 'lost' }], clock: later.clock, inHand });
    expect(await again.status(runId)).toBe('completed');
    expect(worked.slice(0, 3)).toEqual([...others, runId]);
  });

  it('is ignored when there is no such tree any more', async () => {
    const { host, runId } = await waitingRun();
    await host.execute(on('cancel-run', runId));
    const losses = ['nobody', runId].map((rootId) => ({ rootId, how: 'stalled' as const }));
    expect(await heldIn(await host.crash({ losses }))).toEqual([]);
  });
});

describe('a held tree', () => {
  async function heldRun() {
    const { host, time, runId } = await waitingRun();
    return { time, runId, host: await host.crash({ losses: [{ rootId: runId, how: 'stalled' }] }) };
  }

  it('takes no command but its end', async () => {
    const { host, runId } = await heldRun();
    const held = { ok: false, error: { error: 'run_held' } };
    expect(await host.execute(on('pause-run', runId))).toMatchObject(held);
    const cancel = on('cancel-run', runId);
    const byStranger = { ...cancel, caller: { tenant: 'umbrella', principal: 'eve' } };
    expect(await host.execute(byStranger)).toMatchObject({ error: { error: 'not_found' } });
    expect(await host.execute(cancel)).toMatchObject({ ok: true });
    expect(await host.status(runId)).toBe('failed');
    expect(await heldIn(host)).toEqual([]);
  });

  it('leaves its ended runs as they are when one of them is cancelled', async () => {
    const before = await startTestEngine();
    const call = node('call', 'core.subWorkflow', { workflowId: 'short' });
    const wait = node('wait', 'core.delay', { ms: 1000 });
    await before.register(workflow('short', [node('end', 'core.noop')]), workflow('parent', [call, wait]));
    const runId = await before.create('parent');
    const host = await before.crash({ losses: [{ rootId: runId, how: 'stalled' }] });
    const ended = { ok: true, value: { status: 'completed' } };
    expect(await host.execute(on('cancel-run', `${runId}.1`))).toMatchObject(ended);
    expect(await host.status(`${runId}.1`)).toBe('completed');
    expect(await heldIn(host)).toHaveLength(1);
  });

  it('goes on when it is released', async () => {
    const { host, time, runId } = await heldRun();
    const release = { kind: 'release-run', caller: CALLER, runId } as const;
    expect(await host.execute(release)).toMatchObject({ ok: true });
    expect(await host.execute(release)).toMatchObject({ error: { error: 'run_state_conflict' } });
    await time.move(1000);
    expect(await host.status(runId)).toBe('completed');
  });

  it('is released once by a request that is repeated with its key', async () => {
    const { host, runId } = await heldRun();
    const idempotency = { key: 'k', request: 'r' };
    const release = { kind: 'release-run', caller: CALLER, runId, idempotency } as const;
    const first = await host.execute(release);
    expect(first).toMatchObject({ ok: true, replayed: false });
    expect(await host.execute(release)).toEqual({ ...first, replayed: true });
  });

  it('does not take the outcome of its effect, which is asked for again when it is released', async () => {
    const time = handClock();
    const outcomes: ((outcome: { kind: 'done'; outputs: object }) => void)[] = [];
    const perform = () => new Promise<never>((resolve) => outcomes.push(resolve as never));
    const before = await startTestEngine({ clock: time.clock, perform });
    await before.register(workflow('e', [node('act', 'core.conformance.side-effect')]));
    const runId = await before.create('e');
    const host = await before.crash({ losses: [{ rootId: runId, how: 'stalled' }] });
    for (const give of outcomes.splice(0)) give({ kind: 'done', outputs: {} });
    await settled();
    expect(await host.status(runId)).toBe('running');
    await host.execute({ kind: 'release-run', caller: CALLER, runId });
    await settled();
    for (const give of outcomes.splice(0)) give({ kind: 'done', outputs: {} });
    await settled();
    expect(await host.status(runId)).toBe('completed');
    expect(new Set(host.performed.map(({ key }) => key))).toEqual(new Set([`${runId}/act/1/1/1`]));
  });

  it('is followed by all other trees of its version of the workflow, once three are held', async () => {
    const time = handClock();
    const host = await startTestEngine({ clock: time.clock });
    await host.register(WAITING, workflow('other', [node('wait', 'core.delay', { ms: 1000 })]));
    const runs = [];
    for (let n = 0; n < 5; n += 1) runs.push(await host.create('w'));
    const other = await host.create('other');
    const losses = runs.slice(0, 3).map((rootId) => ({ rootId, how: 'stalled' as const }));
    const again = await host.crash({ losses });
    expect(await again.execute(creationOf('w'))).toMatchObject({ ok: false, error: { error: 'run_held' } });
    await time.move(1000);
    expect(new Map((await heldIn(again)) as [string, string][])).toEqual(
      new Map([
        ...runs.slice(0, 3).map((id) => [id, 'stalled'] as const),
        ...runs.slice(3).map((id) => [id, 'kin'] as const),
      ]),
    );
    expect(await again.status(other)).toBe('completed');
    // Another version is another matter.
    await again.register(workflow('w', [node('only', 'core.noop')]));
    expect(await again.execute(creationOf('w'))).toMatchObject({ ok: true });
  });
});
