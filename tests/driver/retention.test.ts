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

const EXPIRED = 'replay_memory_snapshot_unavailable';
type World = Pick<Awaited<ReturnType<typeof world>>, 'top' | 'runs'>;

/** The fork is refused, with these details beside the usual ones and no others, and no run is made. */
async function expectExpired({ top, runs }: World, runId: string, mode: string, fromSeq: number, more = {}) {
  const before = await runs();
  const details = { fromSeq, sourceRunId: runId, reason: 'retention_expired', ...more };
  const { refused } = await fork(top, runId, { mode, fromSeq });
  expect(refused).toEqual({ error: EXPIRED, message: expect.any(String), details });
  expect(await runs()).toBe(before);
}

describe('a fork whose memory is no longer kept', () => {
  it('is refused with all there is to say, and nothing is made', async () => {
    verifies('MEM-11', 'MEM-12', 'READ-12', 'FAIL-04', 'SCEN-08');
    const { runId, cut, ...host } = await orphan();
    for (const mode of ['replay', 'branch']) await expectExpired(host, runId, mode, cut);
  });

  it('MEM-13 is refused from its very beginning too, where the fork would see the same', async () => {
    const { runId, ...host } = await orphan();
    for (const mode of ['replay', 'branch']) await expectExpired(host, runId, mode, 0);
  });

  it('MEM-12 names the first index that can still be had', async () => {
    const { top, time, runs } = await world();
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
    const written = await after(top, runId, 'node.completed', 'w');
    await expectExpired({ top, runs }, runId, 'branch', early, { oldestAvailableIdx: written });
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
    await expectExpired({ top, runs }, runId, 'branch', cut);
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
      await expectExpired({ top, runs }, runId, mode, cut);
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
    await expectExpired({ top, runs }, source, 'replay', fromSeq);
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
