import { type EventOf, rootRunId } from '@baton/protocol';
import { RULES } from '../rules.ts';
import type { Run, RunPhase } from '../run.ts';
import { memoryAtStart } from './evolve-fork.ts';
import { sizeAtStart } from './evolve-values.ts';

/** The part of the fold for the beginning and the end of a run. */

export function begin(event: EventOf<'run.started'>, at: number): Run {
  const given = event.payload;
  if ((given.rules ?? 0) > RULES) throw new Error(`this version cannot fold a run of rules ${given.rules}`);
  const parent =
    given.parentRunId !== undefined && given.parentNodeId !== undefined
      ? { runId: given.parentRunId, nodeId: given.parentNodeId }
      : undefined;
  return {
    runId: event.runId,
    rootId: rootRunId(event.runId),
    tenant: given.owner.tenant,
    principal: given.owner.principal,
    ...(given.scopes && { scopes: given.scopes }),
    workflowId: given.workflowId,
    workflowVersion: given.workflowVersion,
    definition: given.definition,
    ...(parent && { parent }),
    lineage: given.lineage ?? [],
    limits: given.limits,
    ...(given.rules !== undefined && { rules: given.rules }),
    chainEvents: given.chainEvents ?? true,
    inputs: given.inputs,
    configurable: given.configurable ?? {},
    tags: given.tags ?? [],
    ...(given.metadata && { metadata: given.metadata }),
    ...(given.scopeId && { scopeId: given.scopeId }),
    ...(given.traceparent && { traceparent: given.traceparent }),
    ...(given.agent && { agent: given.agent }),
    ...(given.role && { role: given.role }),
    memory: memoryAtStart(event.runId, given),
    ...(given.workspace && { workspace: given.workspace }),
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
  };
}

export function completed(run: Run, { payload: { goal } }: EventOf<'run.completed'>): Run {
  const next = ended(run, { kind: 'ended', status: 'completed' });
  return goal === undefined ? next : { ...next, goal };
}

export function ended(run: Run, phase: RunPhase): Run {
  const { detached: _nobodyWaits, ...rest } = run;
  return { ...rest, phase, active: [], interrupts: {} };
}
