import { describe, expect, it } from 'vitest';
import { node } from '../../packages/engine/src/simulation/workflows.ts';
import { bench, CALLER } from './bench-top.ts';
import { child, effect, expectSameFrom, gate, line, quiet, start } from './forking.ts';

/** Replays of runs that are not simple: each does again what its source did, and nothing else. */

describe('a replay does the same', () => {
  it('with an outcome that came when its time was already over', async () => {
    let now = Date.UTC(2026, 0, 1);
    let comeBack = () => {};
    const top = await bench({
      clock: { now: () => now, at: () => () => {} },
      perform: async () => {
        await new Promise<void>((resolve) => {
          comeBack = resolve;
        });
        return { kind: 'done', outputs: { answer: 1 } };
      },
    });
    await top.register(
      line('late', [effect('call', { settings: { timeoutMs: 1000 } }), node('end', 'core.noop')]),
    );
    const source = await start(top, 'late');
    now += 5000;
    comeBack();
    await quiet();
    expect(top.status(source)).toBe('completed');
    await expectSameFrom(top, source);
  });

  it('with a child that was cancelled where one page of its log ends', async () => {
    const top = await bench();
    const steps = Array.from({ length: 126 }, (_, at) => node(`step${at}`, 'core.noop'));
    await top.register(
      line('parent', [child('call', 'worker', { onChildFailure: 'absorb' })]),
      line('worker', [...steps, gate('ask')]),
    );
    const source = await start(top, 'parent');
    await top.execute({ kind: 'cancel-run', caller: CALLER, runId: `${source}.1`, reason: 'enough' });
    await quiet();
    expect(top.status(source)).toBe('completed');
    expect(top.events(`${source}.1`)).toHaveLength(258);
    await expectSameFrom(top, source, [0]);
  });
});
