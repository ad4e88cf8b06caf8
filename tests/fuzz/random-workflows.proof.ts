import { newSigningKey, openVault, signingKey } from '@baton/engine';
import { describe, expect, it } from 'vitest';
import type { BenchOptions } from '../driver/test-engine.ts';
import { SEED } from '../proof.ts';
import {
  checkBranch,
  checkElsewhere,
  checkEvidence,
  checkPast,
  checkReplayNow,
  checkReplays,
} from './check-run.ts';
import { type DrivenHost, drivenHost } from './driven-host.ts';
import { diceOf, seedOf } from './random-choice.ts';
import { begin, type Life, live, MOST_ACTIONS, register } from './random-life.ts';
import { familyOf } from './workflow-generator.ts';

/**
 * Random valid workflows are run, answered, cancelled, paused, crashed, replayed, branched, verified, exported,
 * opened elsewhere and replayed again. BATON_FUZZ_WORKFLOWS says how many, BATON_FUZZ_SEED which ones, and
 * BATON_FUZZ_ONLY names a single one by its number.
 */

const COUNT = Number(process.env.BATON_FUZZ_WORKFLOWS ?? 300);
const ONLY = process.env.BATON_FUZZ_ONLY;
type Share = NonNullable<BenchOptions['share']>;
/** Each group has hosts of its own. */
const IN_A_GROUP = 20;
const WAIT = 1000;

const KEY = signingKey(newSigningKey(), 'a test');
const secrets = new Map([['*', new Map([['word', 'tides']])]]);
const here = (share: Share) =>
  drivenHost({ vault: openVault(secrets, new Uint8Array(32).fill(1)), auditKey: KEY, share });
const elsewhere = (share: Share) => (folder: string) =>
  drivenHost({
    folder,
    vault: openVault(new Map(), new Uint8Array(32).fill(2)),
    auditKey: KEY,
    limits: { confidenceFloor: 0.8 },
    share,
  });

/**
 * How much a tree may do at once is not left to the speed of the machine, so that a failure can be repeated. The hosts
 * of some groups end a slice after every step, which is when other facts can come in between.
 */
function shareOf(number: number): Share {
  const dice = diceOf(seedOf(SEED ^ 0x5eed, Math.floor(number / IN_A_GROUP)));
  return { events: dice.pick([1, 1, 3, 20, 256]), bytes: 256 * 1024, ms: Number.POSITIVE_INFINITY };
}

async function problemsOf(number: number, host: DrivenHost, share: Share): Promise<readonly string[]> {
  const dice = diceOf(seedOf(SEED, number));
  const family = familyOf(dice, { wait: WAIT });
  const life: Life = { dice, host, tenant: `t${number}`, family, wait: WAIT, problems: [] };
  for (const definition of family.definitions) await register(life, definition);
  const runId = await begin(life);
  await live(life, runId, MOST_ACTIONS, () => checkReplayNow(life, runId));
  await checkPast(life, runId);
  await checkEvidence(life, KEY, runId);
  await checkReplays(life, runId);
  await checkElsewhere(life, elsewhere(share), KEY, runId);
  if (dice.chance(0.5)) await checkBranch(life, runId);
  life.problems.push(...host.top.logged.splice(0), ...host.top.fatal.splice(0).map(String));
  return life.problems.map((problem) => `BATON_FUZZ_SEED=${SEED} BATON_FUZZ_ONLY=${number}: ${problem}`);
}

const numbers = ONLY === undefined ? Array.from({ length: COUNT }, (_, number) => number) : [Number(ONLY)];

describe(`random workflows of seed ${SEED}`, () => {
  for (let from = 0; from < numbers.length; from += IN_A_GROUP) {
    const group = numbers.slice(from, from + IN_A_GROUP);
    it(`${group[0]} to ${group.at(-1)} do the same again, here and elsewhere`, {
      timeout: 300_000,
    }, async () => {
      const share = shareOf(group[0] ?? 0);
      const host = await here(share);
      const problems: string[] = [];
      for (const number of group) problems.push(...(await problemsOf(number, host, share)));
      expect(problems).toEqual([]);
    });
  }
});
