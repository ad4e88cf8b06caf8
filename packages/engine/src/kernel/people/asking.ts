import type { SuspendRequest } from '@baton/protocol';
import { emit, type WorkingRun } from '../working-run.ts';

/** How a question is put to a person or another system, and how it is withdrawn. */

/** The key follows from node, execution and subject, so that a replay asks under the same key. */
export function ask(
  working: WorkingRun,
  nodeId: string,
  request: (key: string) => SuspendRequest,
  about?: string,
): void {
  const state = working.run.nodes[nodeId];
  const suffix = about === undefined ? '' : `:${about}`;
  const key = `${nodeId}:${state?.execution ?? 1}:${state?.attempt ?? 1}${suffix}`;
  const suspend = request(key);
  const cause = emit(working, 'interrupt.requested', suspend, nodeId, state?.startedId);
  emit(
    working,
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
export function withdrawInterrupt(working: WorkingRun, key: string): void {
  const open = working.run.interrupts[key];
  if (open === undefined) return;
  const { nodeId, request, requestId } = open;
  const payload = { nodeId, interruptId: key, kind: request.kind, outcome: 'withdrawn' } as const;
  emit(working, 'interrupt.resolved', payload, nodeId, requestId);
}
