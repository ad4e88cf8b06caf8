import { describe, expect, it } from 'vitest';
import { boss, hand, TERMINATE, worker, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { child, effect, fork, gate, line, retry, start, treeOf } from './forking.ts';
import { CALLER, startTestEngine } from './test-engine.ts';

/** What a retry performs again, and where there is nothing to try again. What it is as a branch is tested in `forks/`. */

const BROKEN = { kind: 'failed', error: { code: 'broken', message: 'no' }, retryable: false } as const;

/** A host on which this node fails for so many times, and the run that has failed there. */
async function failed(nodeId: string, times: number, ...definitions: readonly Record<string, unknown>[]) {
  let left = times;
  const top = await startTestEngine({
    perform: async (given) =>
      given.nodeId === nodeId && left-- > 0 ? BROKEN : { kind: 'done', outputs: {} },
  });
  await top.register(...definitions);
  const source = await start(top, String(definitions[0]?.id));
  expect(await top.status(source)).toBe('failed');
  top.performed.length = 0;
  return { top, source };
}

describe('a retry', () => {
  it.each([
    ['without a gate', child('call', 'work')],
    ['with a gate', child('call', 'work', {}, { settings: { verifier: { workflowId: 'critic' } } })],
  ])(
    'of a node that waited for a child has a new child, and performs the work once: %s',
    async (_how, call) => {
      const work = line('work', [effect('first'), effect('last')]);
      const critic = worker('critic', { verdict: 'pass' });
      const { top, source } = await failed('last', 1, workflow('parent', [call]), work, critic);
      const again = await retry(top, source);
      expect(await top.status(again)).toBe('completed');
      expect(await top.status(source)).toBe('failed');
      expect(top.performed.map(({ runId, nodeId }) => [runId, nodeId])).toEqual([
        [`${again}.2`, 'first'],
        [`${again}.2`, 'last'],
      ]);
      expect(await treeOf(top, again)).not.toContain(`${again}.1`);
    },
  );

  it.each([1, 2])('is branched before the whole step that failed, after %i retries', async (times) => {
    const { top, source } = await failed('act', times, line('acts', [effect('kept'), effect('act')]));
    let run = source;
    for (let n = 0; n < times; n += 1) run = await retry(top, run);
    expect(await top.status(run)).toBe('completed');
    const settled = (await top.events(source)).findLast(({ type }) => type === 'baton.effect.settled');
    const outcome = settled?.sequence ?? -1;
    const first = (await top.events(run)).find(({ type }) => type === 'baton.run.branched')?.sequence;
    expect(first).toBe(outcome + 1);
    top.performed.length = 0;
    const branch = await fork(top, run, { mode: 'branch', fromSeq: first });
    expect(top.performed.map(({ nodeId, attempt }) => [nodeId, attempt])).toEqual([['act', 1]]);
    expect((await top.events(branch))[outcome]).toMatchObject({
      type: 'baton.run.branched',
      payload: { fromSeq: outcome },
    });
    expect(await top.status(branch)).toBe('completed');
  });

  it('is refused for a run that did not fail, or not at a node, and says why', async () => {
    const top = await startTestEngine();
    await top.register(line('asks', [gate('gate')]), boss([hand('good'), TERMINATE]), worker('good'));
    const asks = await start(top, 'asks');
    const limited = await start(top, 'boss', { configurable: { maxLoopIterations: 1 } });
    for (const [runId, why] of [
      [asks, 'waiting-approval'],
      [limited, 'loop_limit_exceeded'],
    ] as const) {
      const reply = await top.execute({ kind: 'retry-run', caller: CALLER, runId, body: {} });
      expect(reply).toMatchObject({ ok: false, error: { error: 'run_state_conflict' } });
      expect(JSON.stringify(reply)).toContain(why);
    }
  });
});
