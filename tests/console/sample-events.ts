import type { RunEvent } from '@baton/client';

/** Events for tests of the model. Ids follow from the run and the sequence, as they do on a host. */

interface Given {
  readonly runId?: string;
  readonly type: string;
  readonly nodeId?: string;
  readonly causationId?: string;
  readonly payload?: object;
  /** Milliseconds after the first event. */
  readonly at?: number;
}

const FIRST = Date.parse('2030-01-01T00:00:00.000Z');

/** Numbers the events of each run and gives them the form of the API. */
export function sampleEvents(given: readonly Given[]): readonly RunEvent[] {
  const next = new Map<string, number>();
  let time = 0;
  return given.map(({ runId = 'r', type, nodeId, causationId, payload = {}, at }) => {
    const sequence = next.get(runId) ?? 0;
    next.set(runId, sequence + 1);
    time = at ?? time;
    return {
      eventId: `${runId}:${sequence}`,
      runId,
      sequence,
      timestamp: new Date(FIRST + time).toISOString(),
      type,
      payload: nodeId === undefined ? payload : { nodeId, ...payload },
      ...(nodeId !== undefined && { nodeId }),
      ...(causationId !== undefined && { causationId }),
    } as RunEvent;
  });
}

/** A supervisor that hands work to a worker, whose outputs pass a gate with a critic and a person. */
export function sampleHandoff(): readonly RunEvent[] {
  const chain = (phase: string, more: object = {}) => ({
    phase,
    workerId: 'writer',
    parentRunId: 'r',
    ...more,
  });
  return sampleEvents([
    { type: 'run.started', payload: { workflowId: 'desk', workflowVersion: 1 } },
    {
      type: 'node.started',
      nodeId: 'lead',
      payload: {
        typeId: 'core.orchestrator.supervisor',
        attempt: 1,
        turn: { transcript: { from: 0, to: 1 } },
      },
    },
    {
      type: 'runOrchestrator.decided',
      nodeId: 'lead',
      causationId: 'r:1',
      payload: {
        agentId: 'acme.lead',
        iteration: 1,
        decision: { kind: 'next-worker', nextWorkerIds: ['writer'] },
      },
    },
    { type: 'node.completed', nodeId: 'lead' },
    {
      type: 'node.started',
      nodeId: 'out',
      causationId: 'r:2',
      payload: { typeId: 'core.dispatch', attempt: 1 },
    },
    { type: 'core.workflowChain.event', nodeId: 'out', causationId: 'r:2', payload: chain('dispatch.began') },
    { type: 'node.dispatched', nodeId: 'out', causationId: 'r:5', payload: { childRunId: 'r.1' } },
    {
      runId: 'r.1',
      type: 'run.started',
      causationId: 'r:5',
      payload: { workflowId: 'writer', workflowVersion: 1, parentRunId: 'r', parentNodeId: 'out' },
    },
    { runId: 'r.1', type: 'node.started', nodeId: 'write', payload: { typeId: 'core.delay', attempt: 1 } },
    { runId: 'r.1', type: 'node.completed', nodeId: 'write', at: 500 },
    { runId: 'r.1', type: 'run.completed' },
    {
      type: 'core.workflowChain.event',
      nodeId: 'out',
      causationId: 'r:6',
      payload: chain('child.completed', { childRunId: 'r.1' }),
    },
    {
      runId: 'r.2',
      type: 'run.started',
      causationId: 'r:7',
      payload: {
        workflowId: 'critic',
        workflowVersion: 1,
        parentRunId: 'r',
        parentNodeId: 'out',
        role: 'critic',
      },
    },
    { runId: 'r.2', type: 'run.completed', at: 600 },
    {
      type: 'interrupt.requested',
      nodeId: 'out',
      causationId: 'r:4',
      payload: { kind: 'approval', key: 'out:1', data: { title: 'Take it?', actions: ['accept'] } },
    },
    {
      type: 'interrupt.resolved',
      nodeId: 'out',
      payload: { interruptId: 'out:1', kind: 'approval', outcome: 'answered', resolvedBy: 'ada' },
      at: 3_600_600,
    },
    {
      type: 'baton.merge.settled',
      nodeId: 'out',
      payload: { workerId: 'writer', childRunId: 'r.1', merged: true, why: 'approved' },
    },
    { type: 'node.completed', nodeId: 'out' },
    { type: 'run.completed', at: 3_600_700 },
  ]);
}
