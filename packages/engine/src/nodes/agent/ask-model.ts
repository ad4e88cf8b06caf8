import type { EffectIntent, Json } from '@baton/protocol';
import { failNode, intend } from '../../kernel/execute.ts';
import { effectSteps } from '../../kernel/run.ts';
import { MODEL_CALL } from '../../ports/agent-effects.ts';
import { MODEL_RETRY } from '../model-answer.ts';
import { refusedModel } from './budget.ts';
import { cacheKeyOf } from './conversation.ts';
import type { Invocation } from './invocation.ts';
import type { AskedModel, Phase, Revision } from './rounds.ts';

const USUAL_OUTPUT_TOKENS = 4096;

interface Asking {
  /** How long the answer may be, in tokens. */
  readonly room?: number;
  readonly revision?: Revision;
  readonly problem?: string;
}

/** Intends the next model call, unless the budget is used up. */
export function askModel(
  invocation: Invocation,
  phase: Phase,
  { room, revision, problem }: Asking = {},
): void {
  const { working, node, agent, ready } = invocation;
  // A branch can choose another model in the middle of an invocation, so each call is checked.
  const error = refusedModel(invocation);
  if (error) {
    failNode(working, node, error, false);
    return;
  }
  const asked: AskedModel = {
    provider: ready.provider,
    model: ready.model,
    phase,
    maxOutputTokens: room ?? agent.maxOutputTokens ?? USUAL_OUTPUT_TOKENS,
    ...(revision && { revision }),
    ...(problem !== undefined && { problem }),
  };
  const step = (effectSteps(working.run, node.id).at(-1)?.step ?? 0) + 1;
  const intent: EffectIntent = {
    kind: MODEL_CALL,
    request: asked as unknown as Json,
    cacheKey: cacheKeyOf({ ...invocation, steps: effectSteps(working.run, node.id) }, asked, step),
    retry: MODEL_RETRY,
  };
  intend(working, node.id, [intent]);
}
