import { type EventOf, laterBy } from '@baton/protocol';
import { exhaustionIn } from '../../ports/tenant-budgets.ts';
import { type EffectStep, effectSteps, type Run, setWait } from '../run.ts';
import { toolCallsRefused } from './evolve-agents.ts';
import { sizeOfStep } from './evolve-values.ts';

/** The part of the fold for the effects of a node. */

export function effectIntended(run: Run, event: EventOf<'baton.effect.intended'>, at: number): Run {
  const { nodeId, step, effect } = event.payload;
  const added = { step, effect, intendedAt: at, tries: 1 };
  return resized(withSteps(run, nodeId, [...effectSteps(run, nodeId), added]), sizeOfStep(added));
}

export function effectRetried(run: Run, event: EventOf<'baton.effect.retried'>, at: number): Run {
  const { nodeId, step, tries, delayMs } = event.payload;
  return withSteps(run, nodeId, replaced(run, nodeId, step, { tries, until: laterBy(at, delayMs) }));
}

/**
 * A settled error changes nothing by itself: the node fails or is retried with the next event. Only calls that the
 * budget of the tenant does not allow no longer count.
 */
export function effectSettled(run: Run, event: EventOf<'baton.effect.settled'>): Run {
  const { nodeId, step, error, outputs = {} } = event.payload;
  if (error !== undefined) return exhaustionIn(error) ? toolCallsRefused(run, nodeId) : run;
  const steps = replaced(run, nodeId, step, { outputs });
  const found = steps.find((one) => one.step === step);
  if (found === undefined) return run;
  const { outputs: _none, ...before } = found;
  return resized(withSteps(run, nodeId, steps), sizeOfStep(found) - sizeOfStep(before));
}

function replaced(run: Run, nodeId: string, step: number, change: Partial<EffectStep>): EffectStep[] {
  return effectSteps(run, nodeId).map((one) => {
    if (one.step !== step) return one;
    const { until: _waited, ...rest } = one;
    return { ...rest, ...change };
  });
}

function withSteps(run: Run, nodeId: string, steps: readonly EffectStep[]): Run {
  return setWait(run, nodeId, { for: 'effects', steps });
}

function resized(run: Run, grown: number): Run {
  if (grown === 0) return run;
  return { ...run, size: { ...run.size, characters: run.size.characters + grown } };
}
