import { modelCalls } from '@baton/agents';
import type { Effect, EffectOutcome, EngineOptions } from '@baton/engine';
import { createMockModel } from '../../packages/conformance/src/seams/mock-model.ts';
import { pendingEffects } from '../../packages/engine/src/kernel/effects.ts';
import { type Dice, diceOf, seedOf } from '../fuzz/random-choice.ts';
import { isInPause } from './checks/acknowledged.ts';
import { nameOfEffect, OUTSIDE_BROKE } from './checks/watch-nodes.ts';
import type { Trouble } from './hostile-store.ts';
import type { Life } from './simulated-host.ts';
import { complain, type Sent, tell, type World } from './world.ts';

/**
 * The outside of one life of a host: it performs effects late, lets some fail, breaks some off, keeps some
 * outcomes to itself until all faults are over, stops an aborted effect or does not, and forgets those under
 * way when the host dies.
 */
type Effects = EngineOptions['effects'];

export interface Outside extends Effects {
  /** The keys of the effects under way. */
  readonly underWay: ReadonlySet<string>;
  /** Tells the outcomes that were lost. */
  findLost(): void;
}

const LATEST = 25;
/** Two clocks that are not worth correcting do not differ by more. */
const MOST_AHEAD_MS = 60;
const askModel = modelCalls({ provider: () => createMockModel() });

export function outsideOf(world: World, host: string, trouble: Trouble, life: number): Outside {
  const { time } = world;
  const underWay = new Set<string>();
  const performed = new Set<string>();
  const lost: (() => void)[] = [];
  const performer = () =>
    world.hosts.flatMap(({ life: one }) => one ?? []).find(({ number }) => number === life);

  function begin(effect: Effect): void {
    const { key, tries } = effect;
    const oneTry = `${key} (${tries})`;
    tell(world, `${host} performs ${oneTry}`);
    if (performed.has(oneTry)) complain(world, `${host} performed ${oneTry} a second time`);
    for (const problem of unintended(world, effect, performer())) complain(world, problem);
    performed.add(oneTry);
    underWay.add(key);
  }

  return {
    underWay,
    findLost() {
      for (const tellNow of lost.splice(0)) tellNow();
    },
    async perform(effect, context) {
      time.moved();
      if (trouble.dead) return new Promise(() => undefined);
      begin(effect);
      const dice = diceOf(seedOf(world.plan.seed ^ life, hashOf(effect.key) + effect.tries));
      const isModel = effect.kind === 'model.call';
      const outcome = isModel ? await askModel(effect, context) : outcomeOf(dice, effect);
      return new Promise((resolve, reject) => {
        let ended = false;
        const end = (isBrokenOff: boolean) => {
          if (trouble.dead || ended) return;
          ended = true;
          time.moved();
          underWay.delete(effect.key);
          tell(world, `${host} reports ${effect.key}: ${isBrokenOff ? 'broken off' : outcome.kind}`);
          if (isBrokenOff) reject(new Error('broken off'));
          else resolve(outcome);
        };
        // A replay asks the mock again and expects its answer, so model calls are not broken off.
        const breaksOff = !isModel && dice.chance(0.04);
        const heedsAbort = dice.chance(0.5);
        if (dice.chance(0.1)) time.after(dice.between(1, LATEST), () => context.progress('a part'));
        context.signal.addEventListener('abort', () => {
          if (heedsAbort) end(true);
        });
        if (!world.faultsAreOver && dice.chance(0.06)) lost.push(() => end(breaksOff));
        else time.after(dice.chance(0.3) ? 1 : dice.between(1, LATEST), () => end(breaksOff));
      });
    },
  };
}

/**
 * An effect is performed only while the stored log has its intent and not its outcome, not in a pause, and by
 * one host at a time. Where there are several hosts, the log may have given up the effect without an outcome, for example
 * because its node timed out, before the host that performs the effect has read this; the same holds for a
 * pause. It also holds for the later tries of one host: each is claimed, and the answer to the claim may come while the
 * slice that gives the effect up is being stored.
 */
function unintended(world: World, effect: Effect, performer: Life | undefined): readonly string[] {
  const { ledger, plan, hosts } = world;
  if (performer !== undefined && isReplaced(world, performer)) return [];
  const { key, runId, fresh } = effect;
  const run = ledger.run(runId);
  const isPending = run?.state !== undefined && pendingEffects(run.state).some((one) => one.key === key);
  const problems: string[] = [];
  if (run?.watch.isSettled(effect)) problems.push(`${key} was performed, and its outcome is in the log`);
  else if (!isPending && ((plan.hosts === 1 && effect.tries === 1) || run === undefined))
    problems.push(`${key} was performed, and the stored log does not wait for it`);
  if (fresh !== true && plan.hosts === 1 && isInPause(world, runId))
    problems.push(`${key} was performed while its run was paused`);
  if (fresh !== true && hosts.some(({ life }) => life?.outside.underWay.has(key) && !isReplaced(world, life)))
    problems.push(`${key} was performed while a host performed it`);
  if (fresh !== true && isEarly(world, effect)) problems.push(`${key} was tried before its time`);
  return problems;
}

/** Whether the try was to wait longer, and nobody has hastened its run. */
function isEarly({ time, sent }: World, { runId, until = 0 }: Effect): boolean {
  const isHastened = ({ command }: Sent) => command.kind === 'hasten-effects' && command.runId === runId;
  return until > time.now() + MOST_AHEAD_MS && !sent.some(isHastened);
}

/** Others have taken over the work of the host, and it does not know it yet. What it does may be done twice. */
function isReplaced({ postgres }: World, { member }: Life): boolean {
  return member !== undefined && postgres?.isAtWork(member.hostNo) === false;
}

function outcomeOf(dice: Dice, effect: Effect): EffectOutcome {
  const madeFor = nameOfEffect(effect);
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
