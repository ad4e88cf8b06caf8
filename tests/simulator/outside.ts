import { type Command, type Effect, type EffectOutcome, type EngineOptions } from '@baton/engine';
import { pendingEffects } from '../../packages/engine/src/kernel/effects.ts';
import { createMockProvider } from '../../packages/server/src/models/mock.ts';
import { modelCalls } from '../../packages/server/src/models/model-calls.ts';
import { type Dice, diceOf, seedOf } from '../fuzz/random-choice.ts';
import { nameOfAttempt, OUTSIDE_BROKE } from './checks/watch-nodes.ts';
import type { Trouble } from './hostile-store.ts';
import { complain, tell, type World } from './world.ts';

/**
 * The outside of one life of a host: it performs effects late, lets some fail, breaks some off, tells some
 * outcomes twice, keeps some to itself until all faults are over, and forgets those under way when the host
 * dies.
 */
type Effects = EngineOptions['effects'];

export interface Outside extends Effects {
  /** The keys of the effects under way. */
  readonly underWay: ReadonlySet<string>;
  /** Tells the outcomes that were lost. */
  findLost(): void;
}

const LATEST = 25;
const askModel = modelCalls({ provider: () => createMockProvider() });

export function outsideOf(world: World, host: string, trouble: Trouble, life: number): Outside {
  const { time } = world;
  const underWay = new Set<string>();
  const performed = new Set<string>();
  const lost: (() => void)[] = [];

  function begin(effect: Effect): void {
    const { key } = effect;
    tell(world, `${host} performs ${key}`);
    if (performed.has(key)) complain(world, `${host} performed ${key} a second time`);
    for (const problem of unintended(world, effect)) complain(world, problem);
    performed.add(key);
    underWay.add(key);
  }

  return {
    underWay,
    findLost() {
      for (const tellNow of lost.splice(0)) tellNow();
    },
    async perform(effect) {
      time.moved();
      if (trouble.dead) return new Promise(() => undefined);
      begin(effect);
      const dice = diceOf(seedOf(world.plan.seed ^ life, hashOf(effect.key)));
      const outcome = effect.kind === 'model.call' ? await askModel(effect) : outcomeOf(dice, effect);
      return new Promise((resolve, reject) => {
        const end = () => {
          if (trouble.dead) return;
          time.moved();
          underWay.delete(effect.key);
          // A replay asks the mock again and expects its answer, so model calls are not broken off.
          const isBrokenOff = effect.kind !== 'model.call' && dice.chance(0.04);
          tell(world, `${host} reports ${effect.key}: ${isBrokenOff ? 'broken off' : outcome.kind}`);
          if (isBrokenOff) reject(new Error('broken off'));
          else resolve(outcome);
          if (!isBrokenOff && dice.chance(0.15)) tellAgain(world, dice, effect, outcome);
        };
        if (!world.faultsAreOver && dice.chance(0.06)) lost.push(end);
        else time.after(dice.chance(0.3) ? 1 : dice.between(1, LATEST), end);
      });
    },
  };
}

/** Tells an outcome once more, to a host that may or may not have asked for it. */
function tellAgain({ hosts, time }: World, dice: Dice, effect: Effect, outcome: EffectOutcome): void {
  const { key, runId, nodeId, execution, attempt } = effect;
  const again: Command = { kind: 'effect-outcome', key, runId, nodeId, execution, attempt, outcome };
  time.after(dice.between(1, LATEST), () => {
    void dice.pick(hosts).life?.engine.execute(again).then(time.moved);
  });
}

/**
 * An effect is performed only while the stored log has its intent and not its outcome. Several hosts do not
 * claim effects in this version, so that another host may have recorded the outcome already; then the intent
 * alone is required.
 */
function unintended({ ledger, plan }: World, { key, runId, nodeId }: Effect): readonly string[] {
  const run = ledger.run(runId)?.state;
  const isPending = run !== undefined && pendingEffects(run).some((one) => one.key === key);
  const wasPending = plan.hosts > 1 && run?.nodes[nodeId] !== undefined;
  return isPending || wasPending ? [] : [`${key} was performed, and the stored log does not wait for it`];
}

function outcomeOf(dice: Dice, effect: Effect): EffectOutcome {
  const madeFor = nameOfAttempt(effect);
  const error = { code: OUTSIDE_BROKE, message: `as told to ${madeFor}` };
  return dice.weigh<EffectOutcome>(
    [
      5,
      () => ({
        kind: 'done',
        outputs: { key: 'k', a: dice.between(0, 9), text: 'card-4111-1111', madeFor },
      }),
    ],
    [1.5, () => ({ kind: 'failed', error })],
    [1, () => ({ kind: 'failed', error, retryable: false })],
  );
}

function hashOf(text: string): number {
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
  return hash;
}
