import Type from 'typebox';
import { WorkflowDefinition } from '../schemas/workflow.ts';
import { DateTime, IfNoneMatch, json, NOT_MODIFIED, type RouteContract } from './contract.ts';

const Registered = Type.Object({
  workflowId: Type.String(),
  version: Type.Integer(),
  warnings: Type.Array(Type.String()),
});

const registerWorkflow = {
  method: 'POST',
  path: '/v1/workflows',
  access: 'workflows:write',
  idempotent: 'with-key',
  tag: 'workflows',
  summary: 'Register a workflow, or a new version of one',
  body: WorkflowDefinition,
  responses: {
    200: json(Registered, 'The definition was registered already'),
    201: json(Registered, 'A new version'),
  },
  refusals: ['workflow_too_large'],
} as const satisfies RouteContract;

const listWorkflows = {
  method: 'GET',
  path: '/v1/workflows',
  access: 'manifest:read',
  idempotent: 'always',
  tag: 'workflows',
  summary: 'Workflows that this key may run',
  responses: {
    200: json(
      Type.Object({
        workflows: Type.Array(
          Type.Object({
            workflowId: Type.String(),
            version: Type.Integer(),
            digest: Type.String(),
            createdAt: DateTime,
            shared: Type.Boolean(),
          }),
        ),
      }),
    ),
  },
  refusals: [],
} as const satisfies RouteContract;

const readWorkflow = {
  method: 'GET',
  path: '/v1/workflows/{workflowId}',
  access: 'manifest:read',
  idempotent: 'always',
  tag: 'workflows',
  summary: 'A workflow as it is run',
  params: Type.Object({ workflowId: Type.String() }),
  headers: IfNoneMatch,
  responses: { 200: json(WorkflowDefinition), 304: NOT_MODIFIED },
  refusals: [],
} as const satisfies RouteContract;

export const WORKFLOW_CONTRACTS = { registerWorkflow, listWorkflows, readWorkflow } as const;
