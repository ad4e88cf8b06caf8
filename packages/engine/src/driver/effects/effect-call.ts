import { runError } from '@baton/protocol';
import type { EffectOutcomeCommand, EffectProgressCommand } from '../../commands.ts';
import type { Effect, EffectContext, EffectOutcome, Effects, ProgressOf } from '../../ports/effects.ts';
import type { EffectSlots } from './effect-slots.ts';

/** One try of an effect, from the moment at which it may begin. */
export interface EffectCall {
  /** False while the call waits for a slot. */
  hasBegun(): boolean;
  /** The outcome is no longer awaited: the call does not begin, or is aborted. */
  withdraw(): void;
}

export interface EffectCallOptions {
  readonly port: Effects;
  readonly slots: EffectSlots;
  readonly report: (
    command: EffectOutcomeCommand | EffectProgressCommand,
    effect: Effect,
  ) => Promise<unknown>;
  /** The engine has stopped, so nothing is reported any more. */
  readonly isStopped: () => boolean;
  readonly onFatal: (error: unknown) => void;
}

/** `reported` is called when the outcome was reported and the call was not withdrawn. */
export function beginCall(effect: Effect, options: EffectCallOptions, reported: () => void): EffectCall {
  const { port, slots, report, isStopped, onFatal } = options;
  const { key, runId, nodeId, execution, attempt, step, tries } = effect;
  const named = { key, runId, nodeId, execution, attempt, step, tries };
  const isTold = effect.fresh !== true && effect.confidential !== true;
  const abort = new AbortController();
  const { signal } = abort;
  let hasBegun = false;
  let isOver = false;
  let isWithdrawn = false;

  function progress(chunk: string, isLast = false, of?: ProgressOf): void {
    if (!isTold || isOver || isWithdrawn) return;
    void report({ kind: 'effect-progress', ...named, chunk, isLast, ...(of && { of }) }, effect).catch(
      onFatal,
    );
  }

  async function perform(): Promise<void> {
    const outcome = await outcomeOf(port, effect, { signal, progress });
    isOver = true;
    release();
    // A call that was aborted has failed for this reason. An outcome that came all the same is kept.
    if (isStopped() || (isWithdrawn && outcome.kind === 'failed')) return;
    await report({ kind: 'effect-outcome', ...named, outcome }, effect);
    if (!isWithdrawn) reported();
  }

  const release = slots.add(effect, () => {
    hasBegun = true;
    void perform().catch(onFatal);
  });
  return {
    hasBegun: () => hasBegun,
    withdraw() {
      isWithdrawn = true;
      release();
      // To abort a call that is over would only cost time.
      if (!isOver) abort.abort();
    },
  };
}

async function outcomeOf(port: Effects, effect: Effect, context: EffectContext): Promise<EffectOutcome> {
  // A call that finds a slot at once begins after its caller has noted it.
  await Promise.resolve();
  try {
    return await port.perform(effect, context);
  } catch (problem) {
    const message = `The effect could not be performed: ${String(problem)}`;
    return { kind: 'failed', error: runError('capability_not_provided', message) };
  }
}
