import Type from 'typebox';
import { LARGEST_COUNT } from '../schemas/numbers.ts';
import { WorkflowDefinition } from '../schemas/workflow.ts';
import { Bag, DateTime, IfNoneMatch, json, NOT_MODIFIED, PageSize, type Routes } from './contract.ts';

const Version = Type.Integer({ minimum: 1, maximum: LARGEST_COUNT });

const Registered = Type.Object({
  workflowId: Type.String(),
  version: Type.Integer(),
  warnings: Type.Array(Type.String()),
});

export const WORKFLOW_CONTRACTS = {
  registerWorkflow: {
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
    refusals: [],
  },
  validateWorkflow: {
    method: 'POST',
    path: '/v1/workflows:validate',
    // A definition that holds the value of a secret is a problem, so the answer is for callers who could register it.
    access: 'workflows:write',
    idempotent: 'always',
    tag: 'workflows',
    summary: 'Check a definition as a registration does, and store nothing',
    description:
      'Every JSON object can be sent. A definition that is not well-formed has one problem. Otherwise the problems of all ' +
      'nodes, edges and expressions are listed, at most 100; the loops and the schemas are checked when there are no others.',
    body: Bag,
    responses: {
      200: json(
        Type.Object({
          valid: Type.Boolean(),
          problems: Type.Array(
            Type.Object({
              path: Type.Optional(
                Type.String({ description: 'The field, such as `nodes.1.config.delayMs`' }),
              ),
              nodeId: Type.Optional(Type.String({ description: 'The node that the field belongs to' })),
              message: Type.String(),
            }),
          ),
          warnings: Type.Array(Type.String()),
        }),
      ),
    },
    refusals: [],
  },
  listWorkflows: {
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
  },
  readWorkflow: {
    method: 'GET',
    path: '/v1/workflows/{workflowId}',
    access: 'manifest:read',
    idempotent: 'always',
    tag: 'workflows',
    summary: 'A workflow as it is run, or an earlier version of it',
    params: Type.Object({ workflowId: Type.String() }),
    query: Type.Object({ version: Type.Optional(Version) }),
    headers: IfNoneMatch,
    responses: { 200: json(WorkflowDefinition), 304: NOT_MODIFIED },
    refusals: [],
  },
  listWorkflowVersions: {
    method: 'GET',
    path: '/v1/workflows/{workflowId}/versions',
    access: 'manifest:read',
    idempotent: 'always',
    tag: 'workflows',
    summary: 'The versions of a workflow, newest first',
    description:
      'The versions of the own workflow of the tenant, or else of the shared one. They are counted from 1, so the list ' +
      'is complete when it ends with version 1; `before` leads to the older ones.',
    params: Type.Object({ workflowId: Type.String() }),
    query: Type.Object({
      limit: Type.Optional(PageSize),
      before: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: LARGEST_COUNT,
          description: 'Only versions with a smaller number',
        }),
      ),
    }),
    responses: {
      200: json(
        Type.Object({
          versions: Type.Array(
            Type.Object({ version: Version, registeredAt: DateTime, digest: Type.String() }),
          ),
        }),
      ),
    },
    refusals: [],
  },
} as const satisfies Routes;
