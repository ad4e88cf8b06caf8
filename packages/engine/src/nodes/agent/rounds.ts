import type { Verdict } from '@baton/protocol';
import type { EffectStep } from '../../kernel/run.ts';
import { type AskedTool, MODEL_CALL, TOOL_CALL, type ToolOutcome } from '../../ports/agent-effects.ts';
import type { ModelOutcome } from '../../ports/model-outcome.ts';
import type { ToolCallPart } from '../../ports/said-parts.ts';

/** The model calls and tool calls of an invocation, read from its effects. */

/**
 * `round`: the model may call tools. `form`: the model has to give its result, in the required form if the agent
 * has a return schema.
 */
export type Phase = 'round' | 'form';

/** What the intent of a model call records. The messages follow from the effects before it. */
export interface AskedModel {
  readonly provider: string;
  readonly model: string;
  readonly phase: Phase;
  readonly maxOutputTokens: number;
  /** Set for the first call after a critic has sent the result before back. */
  readonly revision?: Revision;
  /** Why the host did not accept the answer before, where the outcome of that answer does not tell it. */
  readonly problem?: string;
}

/** What a critic asked for. */
export interface Revision {
  readonly criteria?: readonly string[];
  readonly feedback?: string;
}

export interface ModelTurn {
  readonly step: number;
  readonly asked: AskedModel;
  readonly outcome: ModelOutcome | undefined;
  readonly calls: readonly CallOfTool[];
}

export interface CallOfTool {
  readonly part: ToolCallPart;
  /** The steps in which the call was made. A call whose outcome was lost can have several. */
  readonly made: readonly MadeCall[];
}

interface MadeCall {
  readonly step: number;
  readonly asked: AskedTool;
  readonly outcome: ToolOutcome | undefined;
  /** What a critic said of the result. */
  readonly verdict: Verdict | undefined;
}

export function turnsOf(steps: readonly EffectStep[]): readonly ModelTurn[] {
  return steps.filter(({ effect }) => effect.kind === MODEL_CALL).map((step) => turnOf(step, steps));
}

/** The model calls since a critic sent the agent back, or all of them. */
export function turnsSinceRevision(steps: readonly EffectStep[]): readonly ModelTurn[] {
  const turns = turnsOf(steps);
  return turns.slice(
    Math.max(
      0,
      turns.findLastIndex(({ asked }) => asked.revision !== undefined),
    ),
  );
}

function turnOf({ step, effect, outputs }: EffectStep, steps: readonly EffectStep[]): ModelTurn {
  const outcome = outputs as unknown as ModelOutcome | undefined;
  const calls = callsIn(outcome).map((part, call) => ({
    part,
    made: steps.filter((one) => isOf(one, step, call)).map(madeOf),
  }));
  return { step, asked: effect.request as unknown as AskedModel, outcome, calls };
}

function isOf({ effect: { kind, request } }: EffectStep, of: number, call: number): boolean {
  if (kind !== TOOL_CALL) return false;
  const asked = request as unknown as AskedTool;
  return asked.of === of && asked.call === call;
}

function madeOf({ step, effect, outputs, verdict }: EffectStep): MadeCall {
  return {
    step,
    asked: effect.request as unknown as AskedTool,
    outcome: outputs as unknown as ToolOutcome | undefined,
    verdict,
  };
}

export function callsIn(outcome: ModelOutcome | undefined): readonly ToolCallPart[] {
  if (outcome?.result.kind !== 'said') return [];
  return (outcome.parts ?? []).filter((part): part is ToolCallPart => part.type === 'tool-call');
}

/** The text of an answer, without reasoning. */
export function textIn(outcome: ModelOutcome): string {
  return (outcome.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}

export function reasoningIn(outcome: ModelOutcome): string {
  return (outcome.parts ?? []).map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
}

/** The outcome that counts: the last one that is known. */
export function resultOf({ made }: CallOfTool): ToolOutcome | undefined {
  const last = made.at(-1)?.outcome;
  return last?.status === 'unknown' ? undefined : last;
}
