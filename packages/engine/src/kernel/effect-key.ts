import type { EffectIntent } from '@baton/protocol';
import type { Run } from './run.ts';

/** An effect that is not settled. */
export interface PendingEffect extends EffectIntent {
  readonly key: string;
  readonly nodeId: string;
  readonly execution: number;
  readonly attempt: number;
  /** See `EffectStep`. */
  readonly step: number;
  readonly tries: number;
  /** When the next try begins. */
  readonly until?: number;
}

type Call = Pick<PendingEffect, 'nodeId' | 'execution' | 'attempt' | 'step'>;

/** The key of the call to the outside. It is the same for each try of the effect, and after a crash. */
export function effectKey({ runId }: Pick<Run, 'runId'>, call: Call): string {
  return `${runId}/${callKey(call)}`;
}

/** The part of the key that a run has in common with its forks. */
export function callKey({ nodeId, execution, attempt, step }: Call): string {
  return `${nodeId}/${execution}/${attempt}/${step}`;
}
