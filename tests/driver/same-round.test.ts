import { expect, it } from 'vitest';
import { gate, line, quiet, start } from './forking.ts';
import { answerTo, on, startTestEngine } from './test-engine.ts';

/** Commands that arrive together are worked off in one round, and stored in one transaction. */

it('a command for a tree that ended in the same round waits until that is stored', async () => {
  const results: string[] = [];
  const top = await startTestEngine({
    wrap: (store) => ({
      ...store,
      commit: async (slices) => {
        const stored = await store.commit(slices);
        results.push(...stored.map(String));
        return stored;
      },
    }),
  });
  await top.register(line('asks', [gate('gate')]));
  const runId = await start(top, 'asks');
  const commands = [on('cancel-run', runId), answerTo(runId, 'gate')];
  const replies = await Promise.all(commands.map((command) => top.execute(command)));
  await quiet();
  expect(replies.map(({ ok }) => ok)).toEqual([true, false]);
  expect(await top.status(runId)).toBe('cancelled');
  // The answer was not computed from a state that was about to be replaced, only to be refused by the store.
  expect(new Set(results)).toEqual(new Set(['committed']));
});
