import type { Json, JsonObject } from '@baton/protocol';
import type { PlanNode } from '../../kernel/graph/plan.ts';
import { effectSteps } from '../../kernel/run.ts';
import type { WorkingRun } from '../../kernel/working-run.ts';
import { type MetPeer, PEER_CHECK, PEER_MEET, PEER_SEND } from '../../ports/remote-effects.ts';

/** How far a handoff to another host is, as the effects of its node tell. */
export interface Remote {
  readonly working: WorkingRun;
  readonly node: PlanNode;
  readonly met: MetPeer;
  readonly workerId: string;
  /** The last transition. It is the cause of the next one. */
  readonly lastId: string;
  readonly taskId?: string;
}

/** `undefined` before the peer is known. */
export function remoteOf(working: WorkingRun, node: PlanNode): Remote | undefined {
  const steps = effectSteps(working.run, node.id);
  const met = steps.find(({ effect }) => effect.kind === PEER_MEET)?.outputs as MetPeer | undefined;
  const sent = steps.findLast(({ effect }) => effect.kind === PEER_SEND);
  if (met === undefined || sent === undefined) return undefined;
  const check = steps.findLast(({ effect }) => effect.kind === PEER_CHECK)?.effect.request as
    | { taskId: string; lastId: string }
    | undefined;
  const { causationId } = sent.effect.request as { causationId: string };
  return {
    working,
    node,
    met,
    workerId: String(node.config.worker),
    lastId: check?.lastId ?? causationId,
    ...(check && { taskId: check.taskId }),
  };
}

/** The message to the peer, from the log: the inputs of the run and the runs above it. */
export function requestOfStep(working: WorkingRun, nodeId: string, step: number): Json {
  const { run } = working;
  const found = effectSteps(run, nodeId).find((one) => one.step === step);
  const recorded = (found?.effect.request ?? {}) as JsonObject;
  if (found?.effect.kind !== PEER_SEND) return recorded;
  return {
    ...recorded,
    inputs: run.variables,
    lineage: [...run.lineage],
  };
}
