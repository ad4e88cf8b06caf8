import { describe, expect, it } from 'vitest';
import {
  boss,
  edge,
  hand,
  node,
  TERMINATE,
  waitingWorker,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { CALLER, handClock, settled, startTestEngine } from './test-engine.ts';

const never = () => new Promise<never>(() => undefined);

describe('after a crash', () => {
  it('finds every acknowledged run, and goes on with what waited for a person', async () => {
    const before = await startTestEngine();
    await before.register(
      boss([hand('w'), TERMINATE], { outputMapping: { result: 'out' } }),
      waitingWorker('w', { out: 'ok' }),
    );
    const runId = await before.create('boss');
    const after = await before.crash();
    expect(await after.status(runId)).toBe('waiting-approval');
    const reply = await after.execute({
      kind: 'resolve-interrupt',
      caller: CALLER,
      runId: `${runId}.1`,
      target: { nodeId: 'gate' },
      resumeValue: { action: 'accept' },
      viaToken: false,
      scopes: [],
    });
    expect(reply).toMatchObject({ ok: true });
    await settled();
    expect(await after.status(runId)).toBe('completed');
  });

  it('fires timers that came due while the host was down', async () => {
    const time = handClock();
    const before = await startTestEngine({ clock: time.clock });
    await before.register(workflow('w', [node('wait', 'core.delay', { ms: 60_000 })]));
    const runId = await before.create('w');
    const later = handClock(time.clock.now() + 60_000);
    const after = await before.crash({ clock: later.clock });
    await settled();
    expect(await after.status(runId)).toBe('completed');
  });

  it('performs an effect again when its outcome was not recorded, under the same key, and never once it was', async () => {
    const before = await startTestEngine({ perform: never });
    await before.register(
      workflow('w', [node('act', 'core.conformance.side-effect'), node('gate', 'core.approvalGate')], {
        edges: [edge('act', 'gate')],
      }),
    );
    const runId = await before.create('w');
    expect(before.performed.map((effect) => effect.key)).toEqual([`${runId}/act/1/1/1`]);
    const second = await before.crash({ perform: async () => ({ kind: 'done', outputs: {} }) });
    expect(second.performed.map((effect) => effect.key)).toEqual([`${runId}/act/1/1/1`]);
    expect(await second.status(runId)).toBe('waiting-approval');
    const third = await second.crash();
    expect(third.performed).toEqual([]);
    expect((await third.events(runId)).filter((event) => event.type === 'node.completed')).toHaveLength(1);
  });

  it('resumes a long run from where its last slice ended', async () => {
    const plan = Array.from({ length: 400 }, () => hand('w'));
    const before = await startTestEngine();
    await before.register(boss(plan), workflow('w', [node('n', 'core.noop')]));
    const reply = await before.execute({ kind: 'create-run', caller: CALLER, body: { workflowId: 'boss' } });
    const runId = reply.ok && reply.value.kind === 'run' ? reply.value.runId : '';
    expect(await before.status(runId)).toBe('running');
    const after = await before.crash();
    for (let turns = 0; turns < 50 && (await after.status(runId)) === 'running'; turns += 1) await settled();
    await settled();
    expect(await after.status(runId)).toBe('completed');
    const events = await after.events(runId);
    expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index));
    const children = events
      .filter((event) => event.type === 'node.dispatched')
      .map((event) => event.payload.childRunId);
    expect(new Set(children).size).toBe(400);
  });

  it('takes notice of a child that ended while its parent was paused', async () => {
    const before = await startTestEngine();
    await before.register(
      boss([hand('w'), TERMINATE]),
      workflow('w', [node('wait', 'core.delay', { ms: 3_600_000 })]),
    );
    const runId = await before.create('boss');
    await before.execute({ kind: 'pause-run', caller: CALLER, runId, drainPolicy: 'immediate' });
    await before.execute({ kind: 'cancel-run', caller: CALLER, runId: `${runId}.1` });
    const after = await before.crash();
    await after.execute({ kind: 'resume-run', caller: CALLER, runId });
    await settled();
    expect(await after.status(runId)).toBe('completed');
    expect((await after.types(runId)).filter((type) => type === 'core.workflowChain.event')).toHaveLength(3);
  });
});

describe('time', () => {
  it('wakes a run at its deadline and sets no timer once nothing is due', async () => {
    const time = handClock();
    const host = await startTestEngine({ clock: time.clock });
    await host.register(workflow('w', [node('wait', 'core.delay', { ms: 1000 })]));
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
    await host.execute({
      kind: 'resolve-interrupt',
      caller: CALLER,
      runId,
      target: { nodeId: 'gate' },
      resumeValue: { action: 'accept' },
      viaToken: false,
      scopes: [],
    });
    const times = (await host.events(runId)).map((event) => event.timestamp);
    expect([...times].sort()).toEqual(times);
    expect(await host.status(runId)).toBe('completed');
  });

  it('does not ring over and over for a child that is held by a paused parent', async () => {
    const time = handClock();
    const host = await startTestEngine({ clock: time.clock });
    await host.register(
      boss([hand('w'), TERMINATE]),
      workflow('w', [node('wait', 'core.delay', { ms: 1000 })]),
    );
    const runId = await host.create('boss');
    await host.execute({ kind: 'pause-run', caller: CALLER, runId, drainPolicy: 'immediate' });
    await time.move(5000);
    await time.move(5000);
    expect(await host.status(runId)).toBe('paused');
    await host.execute({ kind: 'resume-run', caller: CALLER, runId });
    await settled();
    expect(await host.status(runId)).toBe('completed');
  });
});
