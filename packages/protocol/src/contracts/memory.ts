import Type from 'typebox';
import { ScopeId } from '../schemas/run.ts';
import { WorkspaceFile, WorkspaceFileEntry, WriteFile } from '../schemas/workspace.ts';
import {
  Cursor,
  DateTime,
  IfNoneMatch,
  json,
  NOT_MODIFIED,
  PageSize,
  QueryCount,
  type Routes,
} from './contract.ts';

/** The largest content of one entry of memory. */
export const MAX_MEMORY_BYTES = 256 * 1024;

/** The memory that the runs of a tenant share. */

const Version = {
  version: Type.Integer({ minimum: 1, description: 'Every change of the memory scope makes a version' }),
  oldestVersion: Type.Integer({
    minimum: 0,
    description: 'Earlier versions are no longer kept, so runs cannot be forked there',
  }),
};

const MemoryScope = Type.Object({ scopeId: Type.String(), ...Version });

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

export const MEMORY_CONTRACTS = {
  listMemoryScopes: {
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
  },
  readMemory: {
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
  },
} as const satisfies Routes;

/** The files that the agents of a tenant share. */

const FileParams = Type.Object({ path: Type.String({ description: 'Slashes may be escaped as %2F' }) });
const IfMatch = Type.Object({
  'if-match': Type.Optional(Type.String({ description: 'The `etag` that the file must still have' })),
});

export const WORKSPACE_CONTRACTS = {
  listFiles: {
    method: 'GET',
    path: '/v1/host/workspace/files',
    access: 'workspace:read',
    idempotent: 'always',
    tag: 'workspace',
    summary: 'The files of the workspace',
    responses: { 200: json(Type.Object({ files: Type.Array(WorkspaceFileEntry) })) },
    refusals: [],
  },
  readFile: {
    method: 'GET',
    path: '/v1/host/workspace/files/{+path}',
    access: 'workspace:read',
    idempotent: 'always',
    tag: 'workspace',
    summary: 'A file of the workspace',
    params: FileParams,
    query: Type.Object({ version: Type.Optional(Type.Integer({ ...QueryCount, minimum: 1 })) }),
    headers: IfNoneMatch,
    responses: { 200: json(WorkspaceFile), 304: NOT_MODIFIED },
    refusals: [],
  },
  writeFile: {
    method: 'PUT',
    path: '/v1/host/workspace/files/{+path}',
    access: 'workspace:write',
    // Every write makes a version.
    idempotent: 'never',
    tag: 'workspace',
    summary: 'Write a file of the workspace',
    description: 'With `If-Match` only if the file is still as its `etag` says.',
    params: FileParams,
    headers: IfMatch,
    body: WriteFile,
    responses: { 200: json(WorkspaceFile) },
    refusals: ['workspace_conflict', 'workspace_too_large'],
  },
  deleteFile: {
    method: 'DELETE',
    path: '/v1/host/workspace/files/{+path}',
    access: 'workspace:write',
    idempotent: 'always',
    tag: 'workspace',
    summary: 'Delete a file of the workspace',
    params: FileParams,
    headers: IfMatch,
    responses: { 204: { description: 'The file is gone', content: {} } },
    refusals: ['workspace_conflict'],
  },
} as const satisfies Routes;
