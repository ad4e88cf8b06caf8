import type { EffectIntent, Json } from '@baton/protocol';
import { effectSteps } from '../../kernel/run.ts';
import type { WorkingRun } from '../../kernel/working-run.ts';
import { MODEL_CALL } from '../../ports/agent-effects.ts';
import { requestAt } from './conversation.ts';
import { invocationOf } from './invocation.ts';
import type { AskedModel } from './rounds.ts';

/** A request never changes, and it is asked for in each slice while its effect is under way. */
const known = new WeakMap<EffectIntent, Json>();

/** The whole request of an effect of an agent. Only model calls record a part of their request. */
export function requestOfStep(working: WorkingRun, nodeId: string, number: number): Json {
  const node = working.plan.nodes.get(nodeId);
  const step = effectSteps(working.run, nodeId).find((one) => one.step === number);
  if (step === undefined) return null;
  const { effect } = step;
  if (effect.kind !== MODEL_CALL || node === undefined) return effect.request;
  const before = known.get(effect);
  if (before !== undefined) return before;
  const invocation = invocationOf(working, node);
  if (invocation === undefined) return effect.request;
  const made = requestAt(invocation, effect.request as unknown as AskedModel, number) as unknown as Json;
  known.set(effect, made);
  return made;
}
