import { pendingEffects } from '../../../packages/engine/src/kernel/effects.ts';
import type { Dice } from '../../fuzz/random-choice.ts';
import { send } from '../commands.ts';
import { CLOCK_ERROR_MS } from '../postgres/simulated-postgres.ts';
import type { World } from '../world.ts';
import { isHeld, liveRuns } from './rest.ts';

/**
 * Hastens a run whose effect is offered for a later time. The host that is asked takes the effect up at once, if it
 * performs effects of this kind. An effect that has an owner already is hastened by that host alone.
 */
export async function problemsWithHaste(world: World, dice: Dice): Promise<readonly string[]> {
  const { time, restate, storage, sent, ledger } = world;
  if (restate === undefined) return [];
  const offered = new Set(storage.offered());
  const later = time.now() + 2 * CLOCK_ERROR_MS;
  const waiting = liveRuns(world)
    .flatMap(({ state }) => (state && !isHeld(world, state) ? [state] : []))
    .flatMap((run) => pendingEffects(run).map((effect) => ({ ...effect, runId: run.runId })))
    .filter(({ key, until = 0 }) => until > later && offered.has(key));
  if (waiting.length === 0 || dice.chance(0.25)) return [];
  const { runId, key, tries, kind } = dice.pick(waiting);
  send(world, dice, { kind: 'hasten-effects', runId });
  const performs = restate.performs(sent.at(-1)?.life, kind);
  await time.settle();
  const state = ledger.run(runId)?.state;
  const isLeft =
    state !== undefined && pendingEffects(state).some((one) => one.key === key && one.tries === tries);
  const isUnderWay = world.hosts.some(({ life }) => life?.outside.underWay.has(key));
  return performs && isLeft && !isUnderWay ? [`${key} was hastened, and no host performs it`] : [];
}
