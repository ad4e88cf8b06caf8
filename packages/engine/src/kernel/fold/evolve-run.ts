import { type EventOf, rootRunId } from '@baton/protocol';
import type { Run, RunPhase } from '../run.ts';
import { memoryAtStart } from './evolve-fork.ts';
import { sizeAtStart } from './evolve-values.ts';

/** The part of the fold for the beginning and the end of a run. */

export function begin(event: EventOf<'run.started'>, at: number): Run {
  const given = event.payload;
  const parent =
    given.parentRunId !== undefined && given.parentNodeId !== undefined
      ? { runId: given.parentRunId, nodeId: given.parentNodeId }
      : undefined;
  return {
    runId: event.runId,
    rootId: rootRunId(event.runId),
    tenant: given.owner.tenant,
    principal: given.owner.principal,
    workflowId: given.workflowId,
    workflowVersion: given.workflowVersion,
    definition: given.definition,
    lineage: given.lineage ?? [],
    limits: given.limits,
    chainEvents: given.chainEvents ?? true,
    inputs: given.inputs,
    configurable: given.configurable ?? {},
    tags: given.tags ?? [],
    memory: memoryAtStart(event.runId, given),
    startedAt: at,
    at,
    head: event.sequence + 1,
    phase: { kind: 'running' },
    variables: given.variables,
    size: sizeAtStart(given.variables),
    channels: {},
    nodes: {},
    active: [],
    interrupts: {},
    artifacts: {},
    iteration: 0,
    executions: 0,
    dispatches: 0,
    children: 0,
    unresolved: [],
    ...(given.scopes && { scopes: given.scopes }),
    ...(parent && { parent }),
    ...(given.agentChecks && { agentChecks: given.agentChecks }),
    ...(given.metadata && { metadata: given.metadata }),
    ...(given.scopeId && { scopeId: given.scopeId }),
    ...(given.traceparent && { traceparent: given.traceparent }),
    ...(given.origin && { origin: given.origin }),
    ...(given.agent && { agent: given.agent }),
    ...(given.source && { source: given.source }),
    ...(given.role && { role: given.role }),
    ...(given.workspace && { workspace: given.workspace }),
  };
}

export function completed(run: Run, { payload: { goal } }: EventOf<'run.completed'>): Run {
  const next = ended(run, { kind: 'ended', status: 'completed' });
  return goal === undefined ? next : { ...next, goal };
}

export function ended(run: Run, phase: RunPhase): Run {
  const end = { phase, active: [], interrupts: {} };
  if (run.detached === undefined) return { ...run, ...end };
  const { detached: _nobodyWaits, ...rest } = run;
  return { ...rest, ...end };
}
