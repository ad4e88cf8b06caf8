import Type from 'typebox';
import { ScopeId } from '../schemas/run.ts';
import { Cursor, DateTime, json, PageSize, type RouteContract } from './contract.ts';

/** The memory that the runs of a tenant share. */

const Version = {
  version: Type.Integer({ minimum: 1, description: 'Every change of the memory scope makes a version' }),
  oldestVersion: Type.Integer({
    minimum: 0,
    description: 'Earlier versions are no longer kept, so runs cannot be forked there',
  }),
};

const MemoryScope = Type.Object({ scopeId: Type.String(), ...Version });

const listMemoryScopes = {
  method: 'GET',
  path: '/v1/memory',
  access: 'runs:read',
  idempotent: 'always',
  tag: 'memory',
  summary: 'The memory scopes that runs of the tenant share, by name',
  description: 'Private memory of runs is not listed; `GET /v1/runs/{runId}/state` shows it.',
  query: Type.Object({ limit: Type.Optional(PageSize), cursor: Type.Optional(Cursor) }),
  responses: {
    200: json(Type.Object({ scopes: Type.Array(MemoryScope), nextCursor: Type.Optional(Type.String()) })),
  },
  refusals: [],
} as const satisfies RouteContract;

const MemoryEntry = Type.Object({
  id: Type.String(),
  content: Type.String(),
  tags: Type.Array(Type.String()),
  createdAt: DateTime,
  expiresAt: Type.Optional(DateTime),
  by: Type.Object(
    {
      runId: Type.Optional(Type.String()),
      nodeId: Type.Optional(Type.String()),
      agentId: Type.Optional(Type.String()),
    },
    { description: 'The run, the node and the agent that wrote the entry, as far as they are known' },
  ),
});

const readMemory = {
  method: 'GET',
  path: '/v1/memory/{scopeId}',
  access: 'runs:read',
  idempotent: 'always',
  tag: 'memory',
  summary: 'The entries of a memory scope, newest first',
  description:
    'Runs that were started with this `scopeId` share the memory scope. Entries that have expired or were forgotten ' +
    'are not shown.',
  params: Type.Object({ scopeId: ScopeId }),
  query: Type.Object({
    tag: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'Only entries with this tag' }),
    ),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'Only entries whose content has these words',
      }),
    ),
    limit: Type.Optional(PageSize),
  }),
  responses: {
    200: json(Type.Object({ scopeId: Type.String(), ...Version, entries: Type.Array(MemoryEntry) })),
  },
  refusals: [],
} as const satisfies RouteContract;

export const MEMORY_CONTRACTS = { listMemoryScopes, readMemory } as const;
