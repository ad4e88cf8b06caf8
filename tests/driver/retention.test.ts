import { stateAt } from '@baton/engine';
import { describe, expect, it } from 'vitest';
import {
  look,
  node,
  remember,
  rememberingWorker,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { verifies } from '../verifies.ts';
import { after, answer, start as begin, gate, line } from './forking.ts';
import { fork, pruneAll, purgeAll, saw } from './rewinding.ts';
import { CALLER, handClock, startTestEngine } from './test-engine.ts';

/** What is no longer kept: a fork is never given something else in its place. */

const DAY = 86_400_000;

const NOTES = line('notes', [
  look('before'),
  remember('w', { key: 'k', content: 'mine' }),
  gate('gate'),
  look('r'),
]);
const OVERWRITES = rememberingWorker('overwrites', { key: 'k', content: 'theirs' });

async function world() {
  const time = handClock();
  const top = await startTestEngine({ clock: time.clock });
  await top.register(NOTES, OVERWRITES);
  const runs = async () => (await top.reads.runs({ tenant: CALLER.tenant, limit: 100 })).items.length;
  return { top, time, runs };
}

/** A run that began again where another one had, whose own log is gone, with what that one saw. */
async function orphan() {
  const { top, time, runs } = await world();
  await begin(top, 'overwrites', { scopeId: 'desk' });
  const source = await begin(top, 'notes', { scopeId: 'desk' });
  await answer(top, source, 'gate');
  await time.move(DAY);
  await begin(top, 'overwrites', { scopeId: 'desk' });
  await begin(top, 'overwrites', { scopeId: 'desk' });
  await time.move(DAY);
  const { runId } = await fork(top, source, { mode: 'replay', fromSeq: 0 });
  expect(await top.status(runId)).toBe('completed');
  await purgeAll(top, time.clock.now());
  expect(await top.reads.run(CALLER.tenant, source)).toHaveProperty('purgedAt');
  expect(await top.reads.run(CALLER.tenant, runId)).not.toHaveProperty('purgedAt');
  expect(await pruneAll(top, time.clock.now())).toBeGreaterThan(0);
  return { top, time, runId, runs, cut: await after(top, runId, 'node.suspended') };
}

describe('a fork whose memory is no longer kept', () => {
  it('is refused with all there is to say, and nothing is made', async () => {
    verifies('MEM-11', 'MEM-12', 'READ-12', 'FAIL-04', 'SCEN-08');
    const { top, runId, cut, runs } = await orphan();
    const before = await runs();
    for (const mode of ['replay', 'branch']) {
      const { refused } = await fork(top, runId, { mode, fromSeq: cut });
      expect(refused).toEqual({
        error: 'replay_memory_snapshot_unavailable',
        message: expect.any(String),
        details: { fromSeq: cut, sourceRunId: runId, reason: 'retention_expired' },
      });
    }
    expect(await runs()).toBe(before);
  });

  it('MEM-13 is refused from its very beginning too, where the fork would see the same', async () => {
    const { top, runId, runs } = await orphan();
    const before = await runs();
    for (const mode of ['replay', 'branch']) {
      const { refused } = await fork(top, runId, { mode, fromSeq: 0 });
      expect(refused).toMatchObject({
        error: 'replay_memory_snapshot_unavailable',
        details: { fromSeq: 0, reason: 'retention_expired' },
      });
    }
    expect(await runs()).toBe(before);
  });

  it('MEM-12 names the first index that can still be had', async () => {
    const { top, time } = await world();
    await top.register(
      line('long', [look('a'), gate('one'), remember('w', { key: 'k', content: 'x' }), gate('two')]),
    );
    await begin(top, 'overwrites', { scopeId: 'desk' });
    const source = await begin(top, 'long', { scopeId: 'desk' });
    const early = (await top.events(source)).length;
    await time.move(DAY);
    await answer(top, source, 'one');
    await answer(top, source, 'two');
    await time.move(DAY);
    const { runId } = await fork(top, source, { mode: 'replay', fromSeq: 0 });
    await purgeAll(top, time.clock.now());
    await pruneAll(top, time.clock.now());
    const { refused } = await fork(top, runId, { mode: 'branch', fromSeq: early });
    const written = await after(top, runId, 'node.completed', 'w');
    expect(refused?.details).toEqual({
      fromSeq: early,
      sourceRunId: runId,
      reason: 'retention_expired',
      oldestAvailableIdx: written,
    });
    expect((await fork(top, runId, { mode: 'branch', fromSeq: written })).refused).toBeUndefined();
  });

  it('READ-12 REPLAY-13 is refused for its bounds first', async () => {
    const { top, runId } = await orphan();
    const { refused } = await fork(top, runId, { mode: 'replay', fromSeq: 9999 });
    expect(refused).toMatchObject({ error: 'fork_point_not_found', details: { fromSeq: 9999 } });
  });

  it('MEM-11 is refused when the run that remembered is gone altogether', async () => {
    const { top, time, runs } = await world();
    const source = await begin(top, 'notes');
    await answer(top, source, 'gate');
    await time.move(DAY);
    const { runId } = await fork(top, source, { mode: 'replay', fromSeq: 0 });
    const cut = await after(top, runId, 'node.suspended');
    await purgeAll(top, time.clock.now());
    const before = await runs();
    const { refused } = await fork(top, runId, { mode: 'branch', fromSeq: cut });
    expect(refused?.details).toEqual({ fromSeq: cut, sourceRunId: runId, reason: 'retention_expired' });
    expect(await runs()).toBe(before);
  });

  it.each(['branch', 'replay'])(
    'MEM-11 FAIL-04 is refused as a %s when the memory of a child is gone, though its parent has none',
    async (mode) => {
      const { top, time, runs } = await world();
      await top.register(
        workflow('parent', [
          node('call', 'core.subWorkflow', { workflowId: 'notes' }),
          node('wait', 'core.delay', { ms: 1000 }),
        ]),
      );
      const source = await begin(top, 'parent');
      await time.move(1000);
      await answer(top, `${source}.1`, 'gate');
      expect(await top.status(source)).toBe('completed');
      await time.move(DAY);
      const { runId } = await fork(top, source, { mode: 'replay', fromSeq: 0 });
      const cut = await after(top, runId, 'node.completed', 'wait');
      expect((await fork(top, runId, { mode: 'branch', fromSeq: cut })).refused).toBeUndefined();
      await purgeAll(top, time.clock.now());
      expect(await top.reads.run(CALLER.tenant, source)).toHaveProperty('purgedAt');
      const before = await runs();
      const { refused } = await fork(top, runId, { mode, fromSeq: cut });
      expect(refused).toMatchObject({
        error: 'replay_memory_snapshot_unavailable',
        details: { fromSeq: cut, sourceRunId: runId, reason: 'retention_expired' },
      });
      expect(await runs()).toBe(before);
    },
  );

  it('MEM-11 shows no other memory in its place', async () => {
    const { top, runId, cut } = await orphan();
    expect(await stateAt(top.reads, { tenant: CALLER.tenant, runId }, cut)).toBeUndefined();
    expect(await stateAt(top.reads, { tenant: CALLER.tenant, runId }, 0)).toMatchObject({
      memory: { entries: [] },
    });
  });
});

describe('a fork whose log is no longer kept', () => {
  it.each([0, 2])('is refused: the log went together with its memory (from %i)', async (fromSeq) => {
    verifies('MEM-12', 'MEM-14');
    const { top, time, runs } = await world();
    const source = await begin(top, 'notes');
    await answer(top, source, 'gate');
    await time.move(DAY);
    expect(await purgeAll(top, time.clock.now())).toBe(1);
    expect(await top.events(source)).toEqual([]);
    expect(await top.reads.scope(CALLER.tenant, `run:${source}`)).toBeUndefined();
    const before = await runs();
    const { refused } = await fork(top, source, { mode: 'replay', fromSeq });
    expect(refused).toMatchObject({
      error: 'replay_memory_snapshot_unavailable',
      details: { fromSeq, sourceRunId: source, reason: 'retention_expired' },
    });
    expect(await runs()).toBe(before);
  });

  it('is not tried again either', async () => {
    const { top, time } = await world();
    await top.register(
      line('doomed', [node('break', 'core.fail', { code: 'it_broke', message: 'as told' })]),
    );
    const source = await begin(top, 'doomed');
    await time.move(DAY);
    await purgeAll(top, time.clock.now());
    const reply = await top.execute({ kind: 'retry-run', caller: CALLER, runId: source, body: {} });
    expect(reply).toMatchObject({ ok: false, error: { error: 'run_purged' } });
  });
});

describe('what is kept', () => {
  it('MEM-14 is the memory of every log that is kept, however much was written since', async () => {
    const { top, time } = await world();
    await begin(top, 'overwrites', { scopeId: 'desk' });
    const source = await begin(top, 'notes', { scopeId: 'desk' });
    const cut = (await top.events(source)).length;
    await answer(top, source, 'gate');
    for (let day = 0; day < 3; day += 1) {
      await time.move(DAY);
      await begin(top, 'overwrites', { scopeId: 'desk' });
    }
    // The log of the source is younger than what is let go of here.
    await pruneAll(top, time.clock.now());
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq: cut });
    await answer(top, runId, 'gate');
    expect(await saw(top, runId, 'before')).toEqual(['k=theirs']);
    expect(await saw(top, runId, 'r')).toEqual(['k=mine']);
  });

  it.each(['in the middle', 'at the beginning'])(
    'MEM-13 MEM-14 is what a fork that was accepted %s will need, until it has ended',
    async (where) => {
      const { top, time } = await world();
      const newer = rememberingWorker('newer', { key: 'k', content: 'newer' });
      await top.register(line('late', [gate('gate'), look('r')]), newer);
      await begin(top, 'overwrites', { scopeId: 'desk' });
      const source = await begin(top, 'late', { scopeId: 'desk' });
      const fromSeq = where === 'at the beginning' ? 0 : (await top.events(source)).length;
      await answer(top, source, 'gate');
      await time.move(DAY);
      await begin(top, 'newer', { scopeId: 'desk' });
      await time.move(DAY);
      const { runId } = await fork(top, source, { mode: 'branch', fromSeq });
      await time.move(DAY);
      await purgeAll(top, time.clock.now());
      await pruneAll(top, time.clock.now());
      await answer(top, runId, 'gate');
      expect(await top.status(runId)).toBe('completed');
      expect(await saw(top, runId, 'r')).toEqual(['k=theirs']);
      expect(top.fatal).toEqual([]);
    },
  );
});
