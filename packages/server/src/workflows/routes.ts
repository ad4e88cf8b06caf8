import { SHARED_TENANT, type WorkflowRecord } from '@baton/engine/ports';
import {
  agentOfWorkflow,
  BatonError,
  CONTRACTS,
  isoTime,
  remoteWorker,
  type WorkflowDefinition,
} from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { refusal } from '../http/errors.ts';
import { notModified } from '../http/etag.ts';
import { idempotencyOf } from '../http/idempotency.ts';
import { registerWorkflow } from './register.ts';

export const workflowRoutes: Routes = (app, host) => {
  bind(app, CONTRACTS.registerWorkflow, async (request, reply) =>
    sendRegistration(host, request, reply, request.body),
  );

  bind(app, CONTRACTS.listWorkflows, async (request) => ({
    workflows: (await host.reads.workflows(identityOf(request).tenant)).filter(isAuthored).map(entryOf),
  }));

  bind(app, CONTRACTS.readWorkflow, async (request, reply) => {
    const { workflowId } = request.params;
    const { version } = request.query;
    const newest = await readAuthored(host, identityOf(request).tenant, workflowId);
    const workflow =
      version === undefined
        ? newest
        : await host.reads.workflowVersion(identityOf(request).tenant, workflowId, version);
    if (workflow === undefined) {
      throw new BatonError('not_found', 'The workflow has no such version.', { workflowId, version });
    }
    if (notModified(request, reply, `"${workflow.digest}"`)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(workflow.definition);
  });

  bind(app, CONTRACTS.listWorkflowVersions, async (request) => {
    const { workflowId } = request.params;
    const { limit = MOST_VERSIONS, before = Number.MAX_SAFE_INTEGER } = request.query;
    const { tenant } = identityOf(request);
    await readAuthored(host, tenant, workflowId);
    const versions = await host.reads.workflowVersions(tenant, workflowId, before, limit);
    return {
      versions: versions.map(({ version, digest, createdAt }) => ({
        version,
        registeredAt: isoTime(createdAt),
        digest,
      })),
    };
  });

  bind(app, CONTRACTS.validateWorkflow, async (request) => {
    const outcome = await host.engine.execute({
      kind: 'check-workflow',
      caller: callerOf(request),
      definition: request.body,
    });
    if (!outcome.ok) throw refusal(outcome.error);
    if (outcome.value.kind !== 'checked') throw new Error(`the engine answered with ${outcome.value.kind}`);
    const { problems, warnings } = outcome.value;
    return { valid: problems.length === 0, problems, warnings };
  });
};

const MOST_VERSIONS = 200;

/** The newest version of a workflow that an author has registered. */
async function readAuthored(
  { reads }: HostContext,
  tenant: string,
  workflowId: string,
): Promise<WorkflowRecord> {
  const workflow = await reads.workflow(tenant, workflowId);
  if (workflow !== undefined && isAuthored(workflow)) return workflow;
  throw new BatonError('not_found', 'There is no workflow with this id.', { workflowId });
}

/** Registers for the caller's tenant and answers with the version: 201 for a new one, 200 for a known one. */
export async function sendRegistration(
  host: HostContext,
  request: FastifyRequest,
  reply: FastifyReply,
  definition: WorkflowDefinition,
): Promise<unknown> {
  const outcome = await registerWorkflow(host.engine, definition, {
    caller: callerOf(request),
    idempotency: idempotencyOf(request),
    shared: false,
  });
  if (!outcome.ok) throw refusal(outcome.error);
  if (outcome.replayed) reply.header('openwop-idempotent-replay', 'true');
  if (outcome.value.kind !== 'workflow') throw new Error(`the engine answered with ${outcome.value.kind}`);
  const { workflowId, version, created, warnings } = outcome.value;
  reply.code(created ? 201 : 200).header('location', `/v1/workflows/${workflowId}`);
  return { workflowId, version, warnings };
}

/** The workflows of agents hold prompts, which are not shown. */
function isAuthored({ id }: WorkflowRecord): boolean {
  return agentOfWorkflow(id) === undefined && remoteWorker(id) === undefined;
}

function entryOf(workflow: WorkflowRecord) {
  return {
    workflowId: workflow.id,
    version: workflow.version,
    digest: workflow.digest,
    createdAt: isoTime(workflow.createdAt),
    shared: workflow.tenant === SHARED_TENANT,
  };
}
