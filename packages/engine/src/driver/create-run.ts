import { type Agent, agentWorkflowId, BatonError, CreateRun, type Json, parse } from '@baton/protocol';
import type { CreateRunCommand } from '../commands.ts';
import { refuseConfigurable } from '../kernel/configurable.ts';
import { type NewRun, problemWithInputs, startRun } from '../kernel/create.ts';
import { asStep, type ResolvedWorkflow } from '../kernel/working-run.ts';
import { namedScope } from './lookups.ts';
import { done } from './replies.ts';
import type { Outcome } from './rounds/job.ts';
import { type WorkContext, worldAt } from './rounds/work-context.ts';
import { emptyTree } from './trees/loaded-tree.ts';
import { advance, statusIn, wrapUp } from './trees/tree-work.ts';

export async function createRun(context: WorkContext, command: CreateRunCommand): Promise<Outcome> {
  const { store, clock, ids, held, workflows, trees } = context;
  const { caller } = command;
  const body = parse(CreateRun, command.body, 'run');
  const workflowId = workflowIdOf(body);
  const workflow = await workflows.newest(caller.tenant, workflowId);
  if (workflow === undefined) {
    const [field, named] = body.agentId
      ? ['agentId', `agent "${body.agentId}"`]
      : ['workflowId', `workflow "${workflowId}"`];
    throw new BatonError('not_found', `No ${named} is registered.`, { field });
  }
  refuseConfigurable(workflow.plan.definition, body.configurable as Record<string, Json>);
  const inputs = body.inputs ?? {};
  const problem = problemWithInputs(workflow.plan.definition, inputs);
  if (problem)
    throw new BatonError('validation_error', `run: ${problem.field} ${problem.problem}`, { ...problem });
  held.refuseKin({ tenant: caller.tenant, workflowId, workflowVersion: workflow.version });
  const scopeId = body.scopeId ?? longTermScope(workflow);
  const memoryBase = scopeId && (await namedScope(store, caller.tenant, scopeId));
  const now = clock.now();
  const runId = ids.rootRunId(now);
  const loaded = emptyTree(runId, worldAt(context, now));
  const first: NewRun = {
    runId,
    workflow,
    tenant: caller.tenant,
    principal: caller.principal,
    ...(command.scopes && { scopes: command.scopes }),
    inputs,
    ...(body.configurable && { configurable: body.configurable as Record<string, Json> }),
    ...(body.tags && { tags: body.tags }),
    ...(body.metadata && { metadata: body.metadata }),
    ...(scopeId && { scopeId }),
    ...(body.agentId && { source: command.source ?? 'run-api' }),
    ...(memoryBase && { memoryBase }),
    ...(command.origin && { origin: command.origin }),
    ...(command.lineage && { lineage: command.lineage }),
    ...(command.traceparent && { traceparent: command.traceparent }),
  };
  asStep(loaded.tree, () => startRun(loaded.tree, first));
  await advance(context, loaded);
  trees.keep(runId, loaded);
  return wrapUp(context, loaded, done({ kind: 'run', runId, status: statusIn(loaded.tree, runId) }), command);
}

/** A run of an agent is a run of the workflow that the host made for the agent. */
function workflowIdOf({ workflowId, agentId }: CreateRun): string {
  if ((workflowId === undefined) === (agentId === undefined)) {
    throw new BatonError('validation_error', 'run: give either workflowId or agentId', {
      field: 'workflowId',
    });
  }
  return agentId === undefined ? (workflowId as string) : agentWorkflowId(agentId);
}

/** The memory scope of an agent that remembers over runs. All runs of the agent share it. */
function longTermScope({ plan }: ResolvedWorkflow): string | undefined {
  const agent = plan.order[0]?.config.agent as unknown as Agent | undefined;
  return agent?.memoryShape?.longTerm === true ? agentWorkflowId(agent.agentId) : undefined;
}
