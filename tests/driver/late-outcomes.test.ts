import type { EffectOutcome, Store } from '@baton/engine';
import { expect, it } from 'vitest';
import { workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { effect } from './forking.ts';
import { CALLER, settled, startTestEngine } from './test-engine.ts';

/** The outcome of an effect comes after its run has ended, and the run is removed while the outcome is handled. */

type Removed = (stored: Awaited<ReturnType<Store['storedRun']>>) => typeof stored;

it.each<[string, Removed]>([
  ['purged', () => undefined],
  ['erased', (stored) => stored && { ...stored, row: { ...stored.row, erasedAt: 1 }, tail: ['{}'] }],
])('an outcome for a run that is %s meanwhile is dropped, and no run is set aside', async (_how, removed) => {
  let end: (outcome: EffectOutcome) => void = () => undefined;
  const late: unknown[] = [];
  const top = await startTestEngine({
    perform: () => new Promise((resolve) => (end = resolve)),
    wrap: (store) => ({
      ...store,
      storedRun: async (runId) => removed(await store.storedRun(runId)),
      commit(slices) {
        late.push(...slices.flatMap(({ lateOutcome }) => lateOutcome ?? []));
        return store.commit(slices);
      },
    }),
  });
  await top.register(workflow('w', [effect('act')]));
  const runId = await top.create('w');
  await top.execute({ kind: 'cancel-run', caller: CALLER, runId });
  end({ kind: 'done', outputs: { secret: 'x' } });
  await settled();
  expect(top.logged).toEqual([]);
  expect(late).toEqual([]);
  expect(await top.status(runId)).toBe('cancelled');
});
