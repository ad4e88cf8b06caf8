import type { SuspendRequest } from '@baton/protocol';
import { emit, type Turn } from '../turn.ts';

/** How a question is put to a person or another system, and how it is withdrawn. */

/** The key follows from node, execution and subject, so that a replay asks under the same key. */
export function ask(
  turn: Turn,
  nodeId: string,
  request: (key: string) => SuspendRequest,
  about?: string,
): void {
  const state = turn.run.nodes[nodeId];
  const suffix = about === undefined ? '' : `:${about}`;
  const key = `${nodeId}:${state?.execution ?? 1}:${state?.attempt ?? 1}${suffix}`;
  const suspend = request(key);
  const cause = emit(turn, 'interrupt.requested', suspend, nodeId, state?.startedId);
  emit(
    turn,
    'node.suspended',
    {
      nodeId,
      interruptId: key,
      kind: suspend.kind,
      key,
      ...(suspend.kind === 'low-confidence' && {
        reason: 'low-confidence',
        agentId: suspend.data.agentId,
        threshold: suspend.data.threshold,
        observed: suspend.data.observed,
      }),
    },
    nodeId,
    cause,
  );
}

/** The node stopped waiting for another reason; the question can no longer be answered. */
export function withdrawInterrupt(turn: Turn, key: string): void {
  const open = turn.run.interrupts[key];
  if (open === undefined) return;
  const { nodeId, request, requestId } = open;
  const payload = { nodeId, interruptId: key, kind: request.kind, outcome: 'withdrawn' } as const;
  emit(turn, 'interrupt.resolved', payload, nodeId, requestId);
}
