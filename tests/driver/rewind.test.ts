import { expect, it } from 'vitest';
import { checkBranch, checkPast, checkReplayNow, checkReplays } from '../fuzz/check-run.ts';
import { drivenHost } from '../fuzz/driven-host.ts';
import { diceOf, seedOf } from '../fuzz/random-choice.ts';
import { begin, type Life, live, MOST_ACTIONS, register } from '../fuzz/random-life.ts';
import { familyOf } from '../fuzz/workflow-generator.ts';
import { verifies } from '../verifies.ts';

/** Any workflow, any index: what it was then can be seen again, and done again. `npm run proof` tries many more. */

const SEED = 20_260_101;
const WAIT = 1000;
/** One host whose slices are of one step, and one whose slices are as long as they can be. */
const SHARES = [1, 256];

it.each(SHARES)('Any run of slices of %i can be seen and done again at any index', async (events) => {
  verifies('MEM-10', 'REPLAY-08');
  const share = { events, bytes: 256 * 1024, ms: Number.POSITIVE_INFINITY };
  const host = await drivenHost({ share });
  const problems: string[] = [];
  for (let number = 0; number < 12; number += 1) {
    const dice = diceOf(seedOf(SEED + events, number));
    const family = familyOf(dice, { wait: WAIT });
    const life: Life = { dice, host, tenant: `t${number}`, family, wait: WAIT, problems };
    for (const definition of family.definitions) await register(life, definition);
    const runId = await begin(life);
    await live(life, runId, MOST_ACTIONS, () => checkReplayNow(life, runId));
    await checkPast(life, runId);
    await checkReplays(life, runId);
    await checkBranch(life, runId);
    problems.push(...host.top.logged.splice(0), ...host.top.fatal.splice(0).map(String));
  }
  expect(problems).toEqual([]);
});
