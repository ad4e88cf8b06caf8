import { type Effect, type EffectOutcome, type EngineOptions, foldStored } from '@baton/engine';
import { pendingEffects } from '../../packages/engine/src/kernel/effects.ts';
import { createMockProvider } from '../../packages/server/src/models/mock.ts';
import { modelCalls } from '../../packages/server/src/models/model-calls.ts';
import { type Dice, diceOf, seedOf } from '../fuzz/random-choice.ts';
import type { Trouble } from './hostile-store.ts';
import { complain, tell, type World } from './world.ts';

/**
 * The outside of one life of a host: it performs effects late, lets some fail, and forgets those under way
 * when the host dies.
 */
type Effects = EngineOptions['effects'];

export interface Outside extends Effects {
  /** The keys of the effects under way. */
  readonly underWay: ReadonlySet<string>;
}

const LATEST = 25;
const askModel = modelCalls({ provider: () => createMockProvider() });

export function outsideOf(world: World, host: string, trouble: Trouble, life: number): Outside {
  const { time } = world;
  const underWay = new Set<string>();
  return {
    underWay,
    async perform(effect, context) {
      time.moved();
      if (trouble.dead) return new Promise(() => undefined);
      tell(world, `${host} performs ${effect.key}`);
      const check = checkIntent(world, effect);
      underWay.add(effect.key);
      const dice = diceOf(seedOf(world.plan.seed ^ life, hashOf(effect.key)));
      const outcome = effect.kind === 'model.call' ? await askModel(effect, context) : outcomeOf(dice);
      await check;
      return new Promise((resolve) => {
        time.after(dice.chance(0.3) ? 1 : dice.between(1, LATEST), () => {
          if (trouble.dead) return;
          time.moved();
          underWay.delete(effect.key);
          tell(world, `${host} reports ${effect.key}: ${outcome.kind}`);
          resolve(outcome);
        });
      });
    },
  };
}

/**
 * An effect is performed only while the stored log has its intent and not its outcome. Several hosts do not
 * claim effects in this version, so that another host may have recorded the outcome already; then the intent
 * alone is required.
 */
async function checkIntent(world: World, { key, runId, tenant, nodeId }: Effect): Promise<void> {
  const stored = await world.reads.stored(tenant, runId);
  const run = stored && foldStored(stored);
  const pending = run === undefined ? [] : pendingEffects(run);
  if (pending.some((one) => one.key === key)) return;
  const wasPending = run?.nodes[nodeId] !== undefined;
  if (world.plan.hosts > 1 && wasPending) return;
  complain(world, `${key} was performed, and the stored log does not wait for it`);
}

function outcomeOf(dice: Dice): EffectOutcome {
  const error = { code: 'outside_broke', message: 'as told' };
  return dice.weigh<EffectOutcome>(
    [5, () => ({ kind: 'done', outputs: { key: 'k', a: dice.between(0, 9), text: 'card-4111-1111' } })],
    [1, () => ({ kind: 'failed', error })],
    [1, () => ({ kind: 'failed', error, retryable: false })],
  );
}

function hashOf(text: string): number {
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
  return hash;
}
