import { BatonError, CreateRun, type Json, parse } from '@baton/protocol';
import type { CreateRunCommand } from '../commands.ts';
import { refuseConfigurable } from '../kernel/configurable.ts';
import { type NewRun, problemWithInputs, refuseTooLarge, startRun } from '../kernel/create.ts';
import { asStep } from '../kernel/working-run.ts';
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
  const workflow = await workflows.newest(caller.tenant, body.workflowId);
  if (workflow === undefined) {
    throw new BatonError('not_found', `No workflow "${body.workflowId}" is registered.`, {
      field: 'workflowId',
    });
  }
  refuseTooLarge(workflow);
  refuseConfigurable(workflow.plan.definition, body.configurable as Record<string, Json>);
  const inputs = body.inputs ?? {};
  const problem = problemWithInputs(workflow.plan.definition, inputs);
  if (problem)
    throw new BatonError('validation_error', `run: ${problem.field} ${problem.problem}`, { ...problem });
  held.refuseKin({ tenant: caller.tenant, workflowId: body.workflowId, workflowVersion: workflow.version });
  const memoryBase = body.scopeId && (await namedScope(store, caller.tenant, body.scopeId));
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
    ...(body.scopeId && { scopeId: body.scopeId }),
    ...(memoryBase && { memoryBase }),
    ...(command.traceparent && { traceparent: command.traceparent }),
  };
  asStep(loaded.tree, () => startRun(loaded.tree, first));
  await advance(context, loaded);
  trees.keep(runId, loaded);
  return wrapUp(context, loaded, done({ kind: 'run', runId, status: statusIn(loaded.tree, runId) }), command);
}
