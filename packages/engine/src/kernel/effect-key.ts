import type { EffectIntent } from '@baton/protocol';
import type { Run } from './run.ts';

export interface PendingEffect extends EffectIntent {
  readonly key: string;
  readonly nodeId: string;
  readonly execution: number;
  readonly attempt: number;
}

/** A unique key of the call, which stays the same after a crash. */
export function effectKey(
  { runId }: Run,
  call: Pick<PendingEffect, 'nodeId' | 'execution' | 'attempt'>,
): string {
  return `${runId}/${call.nodeId}/${call.execution}/${call.attempt}`;
}
