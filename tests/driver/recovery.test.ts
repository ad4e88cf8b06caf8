import { describe, expect, it } from 'vitest';
import {
  boss,
  hand,
  inOrder,
  node,
  TERMINATE,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { verifies } from '../verifies.ts';
import { answerTo, disk, handClock, on, settled, startTestEngine } from './test-engine.ts';

/** Time and restarts. What a crash at any moment leaves behind is tried by `tests/simulator`. */

const waiting = (ms: number) => workflow('w', [node('wait', 'core.delay', { ms })]);

it('A restart goes on from a checkpoint and the events after it, without reading the log before', async () => {
  const set = node('a', 'vendor.baton.set', { assign: { text: 'inputs.text' } });
  const nodes = [set, node('first', 'core.approvalGate'), node('second', 'core.approvalGate')];
  const before = await startTestEngine();
  await before.register(workflow('w', nodes, { edges: inOrder(nodes) }));
  const runId = await before.create('w', { text: 'x'.repeat(40_000) });
  await before.execute(answerTo(runId, 'first'));
  const stored = await before.store.storedRun(runId);
  expect(stored?.savedState?.sequence).toBeGreaterThan(0);
  expect(stored?.tail.length).toBeLessThan(stored?.row.head ?? 0);
  const after = await before.crash();
  expect(await after.execute(answerTo(runId, 'second'))).toMatchObject({ ok: true });
  expect(await after.status(runId)).toBe('completed');
  expect(after.logged).toEqual([]);
});

describe('time', () => {
  it.each([
    ['came while the host was down', 60_000],
    ['is still to come', 1000],
  ])('A deadline that %s is kept after a start', async (_when, down) => {
    const time = handClock();
    const before = await startTestEngine({ clock: time.clock });
    await before.register(waiting(60_000));
    const runId = await before.create('w');
    const later = handClock(time.clock.now() + down);
    const after = await before.crash({ clock: later.clock });
    await later.move(60_000 - down);
    expect(await after.status(runId)).toBe('completed');
  });

  it('wakes a run at its deadline and sets no timer once nothing is due', async () => {
    const time = handClock();
    const host = await startTestEngine({ clock: time.clock });
    await host.register(waiting(1000));
    const runId = await host.create('w');
    await time.move(999);
    expect(await host.status(runId)).toBe('running');
    await time.move(1);
    expect(await host.status(runId)).toBe('completed');
    await time.move(1000);
    expect(time.alarms()).toBe(0);
  });

  it('never runs backwards in a log, whatever the clock of the machine does', async () => {
    let now = Date.UTC(2026, 0, 1);
    const host = await startTestEngine({ clock: { now: () => now, at: () => () => undefined } });
    await host.register(workflow('w', [node('gate', 'core.approvalGate')]));
    const runId = await host.create('w');
    now -= 3_600_000;
    await host.execute(answerTo(runId, 'gate'));
    const times = (await host.events(runId)).map((event) => event.timestamp);
    expect([...times].sort()).toEqual(times);
    expect(await host.status(runId)).toBe('completed');
  });

  it('does not ring again and again for a child that a paused parent holds past its deadline', async () => {
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
    await host.register(boss([hand('w'), TERMINATE]), waiting(1000));
    const runId = await host.create('boss');
    await host.execute(on('pause-run', runId));
    await time.move(5000);
    const before = looks;
    for (let turns = 0; turns < 5; turns += 1) await time.move(20);
    expect(looks - before).toBeLessThanOrEqual(1);
    await time.move(5000);
    expect(await host.status(runId)).toBe('paused');
    await host.execute(on('resume-run', runId));
    await settled();
    expect(await host.status(runId)).toBe('completed');
  });

  it('does not queue a due tree more and more while the disk is full', async () => {
    const { state, wrap } = disk();
    const time = handClock();
    const host = await startTestEngine({ wrap, clock: time.clock });
    await host.register(waiting(10));
    await host.create('w');
    state.full = true;
    for (let i = 0; i < 40; i += 1) await time.move(20);
    expect(time.alarms()).toBeLessThanOrEqual(3);
    state.full = false;
    await time.move(1000);
  });
});

it('The status of a parent follows what its child waits for, also when the parent itself records nothing', async () => {
  verifies('HAND-30');
  const time = handClock();
  const host = await startTestEngine({ clock: time.clock });
  const nodes = [node('wait', 'core.delay', { ms: 10 }), node('gate', 'core.approvalGate')];
  await host.register(boss([hand('w'), TERMINATE]), workflow('w', nodes, { edges: inOrder(nodes) }));
  const runId = await host.create('boss');
  const head = (await host.events(runId)).length;
  expect(await host.status(runId)).toBe('running');
  await time.move(10);
  expect(await host.events(runId)).toHaveLength(head);
  expect(await host.status(runId)).toBe('waiting-approval');
});
