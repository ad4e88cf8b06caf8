import { describe, expect, it } from 'vitest';
import { node } from '../../packages/engine/src/testkit/workflows.ts';
import { answer, child, effect, expectSameFrom, fork, gate, line, quiet, start } from './forking.ts';
import { type Bench, CALLER, startTestEngine } from './test-engine.ts';

/** A branch goes on from the cut. Where the run has ended there is nothing to go on to, and the caller is told. */

const branch = (top: Bench, runId: string, fromSeq: number) =>
  top.execute({ kind: 'fork-run', caller: CALLER, runId, body: { mode: 'branch', fromSeq } });

const ENDINGS: readonly (readonly [string, Record<string, unknown>[]])[] = [
  ['completed', [node('a', 'core.noop'), effect('act'), node('b', 'core.noop')]],
  ['failed', [node('a', 'core.noop'), node('fail', 'core.fail', { code: 'x', message: 'as told' })]],
  ['cancelled', [node('a', 'core.noop'), gate('gate')]],
];

describe('a branch at the end of a run', () => {
  it.each(ENDINGS)('that is %s is refused, and one at the index it names ends', async (status, nodes) => {
    const top = await startTestEngine();
    await top.register(line('w', nodes));
    const runId = await start(top, 'w');
    if (status === 'cancelled') await top.execute({ kind: 'cancel-run', caller: CALLER, runId });
    await quiet();
    expect(await top.status(runId)).toBe(status);
    const { length } = await top.events(runId);
    const refused = await branch(top, runId, length);
    expect(refused).toMatchObject({
      ok: false,
      error: {
        error: 'fork_point_not_found',
        details: { fromSeq: length, runStatus: status, newestFromSeq: expect.any(Number) },
      },
    });
    const newestFromSeq = refused.ok ? -1 : Number(refused.error.details?.newestFromSeq);
    expect(newestFromSeq).toBeLessThan(length);
    const twin = await fork(top, runId, { mode: 'branch', fromSeq: newestFromSeq });
    if (status === 'cancelled') await answer(top, twin, 'gate');
    expect(await top.status(twin)).toBe(status === 'cancelled' ? 'completed' : status);
    expect((await top.reads.runs({ tenant: CALLER.tenant, limit: 10 })).items).toHaveLength(2);
  });

  it('is refused at every index of the step that ended it, and nowhere else', async () => {
    const top = await startTestEngine();
    await top.register(line('w', [node('a', 'core.noop'), effect('act')]));
    const runId = await start(top, 'w');
    const { length } = await top.events(runId);
    for (let fromSeq = 0; fromSeq <= length; fromSeq += 1) {
      const reply = await branch(top, runId, fromSeq);
      await quiet();
      if (reply.ok && reply.value.kind === 'fork')
        expect(await top.status(reply.value.runId)).toBe('completed');
      else expect([fromSeq, reply]).toMatchObject([length, { error: { error: 'fork_point_not_found' } }]);
    }
  });

  it('is refused for a child that has ended below a parent that has not', async () => {
    const top = await startTestEngine();
    await top.register(
      line('parent', [child('call', 'worker'), gate('gate')]),
      line('worker', [node('a', 'core.noop')]),
    );
    const runId = `${await start(top, 'parent')}.1`;
    const { length } = await top.events(runId);
    expect(await branch(top, runId, length)).toMatchObject({ error: { error: 'fork_point_not_found' } });
  });

  it('is taken where the run still waits, and a replay from the end is the run as it was', async () => {
    const top = await startTestEngine();
    await top.register(line('w', [gate('gate')]));
    const runId = await start(top, 'w');
    const waiting = await fork(top, runId, { mode: 'branch', fromSeq: (await top.events(runId)).length });
    await answer(top, waiting, 'gate');
    expect(await top.status(waiting)).toBe('completed');
    await answer(top, runId, 'gate');
    await expectSameFrom(top, runId, [(await top.events(runId)).length]);
  });
});
