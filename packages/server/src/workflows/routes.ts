import { SHARED_TENANT, type WorkflowRecord } from '@baton/engine/ports';
import { BatonError, isoTime, WorkflowDefinition } from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { callerOf, identityOf } from '../auth/bearer.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { refusal } from '../http/errors.ts';
import { notModified } from '../http/etag.ts';
import { idempotencyOf } from '../http/idempotency.ts';
import { registerWorkflow } from './register.ts';

const Registered = Type.Object({
  workflowId: Type.String(),
  version: Type.Integer(),
  warnings: Type.Array(Type.String()),
});
const WorkflowList = Type.Object({
  workflows: Type.Array(
    Type.Object({
      workflowId: Type.String(),
      version: Type.Integer(),
      digest: Type.String(),
      createdAt: Type.String({ format: 'date-time' }),
      shared: Type.Boolean(),
    }),
  ),
});
const WorkflowParams = Type.Object({ workflowId: Type.String() });

type ReadRequest = FastifyRequest<{ Params: Type.Static<typeof WorkflowParams> }>;

export const workflowRoutes: Routes = (app, host) => {
  app.post(
    '/v1/workflows',
    {
      schema: {
        tags: ['workflows'],
        summary: 'Register a workflow, or a new version of one',
        body: WorkflowDefinition,
        response: { 200: Registered, 201: Registered },
      },
      config: { access: 'workflows:write' },
    },
    async (request, reply) => sendRegistration(host, request, reply, request.body as WorkflowDefinition),
  );

  app.get(
    '/v1/workflows',
    {
      schema: {
        tags: ['workflows'],
        summary: 'Workflows that this key may run',
        response: { 200: WorkflowList },
      },
      config: { access: 'manifest:read' },
    },
    async (request) => ({ workflows: host.reads.workflows(identityOf(request).tenant).map(entryOf) }),
  );

  app.get(
    '/v1/workflows/:workflowId',
    {
      schema: {
        tags: ['workflows'],
        summary: 'A workflow as it is run',
        params: WorkflowParams,
        response: { 200: WorkflowDefinition },
      },
      config: { access: 'manifest:read' },
    },
    async (request: ReadRequest, reply) => {
      const { workflowId } = request.params;
      const workflow = host.reads.workflow(identityOf(request).tenant, workflowId);
      if (workflow === undefined) {
        throw new BatonError('not_found', 'There is no workflow with this id.', { workflowId });
      }
      if (notModified(request, reply, `"${workflow.digest}"`)) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(workflow.definition);
    },
  );
};

/** Registers for the caller's tenant and answers with the version: 201 for a new one, 200 for a known one. */
export async function sendRegistration(
  host: HostContext,
  request: FastifyRequest,
  reply: FastifyReply,
  definition: WorkflowDefinition,
): Promise<unknown> {
  const outcome = await registerWorkflow(host.engine, host.shelf, definition, {
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

function entryOf(workflow: WorkflowRecord) {
  return {
    workflowId: workflow.id,
    version: workflow.version,
    digest: workflow.digest,
    createdAt: isoTime(workflow.createdAt),
    shared: workflow.tenant === SHARED_TENANT,
  };
}
