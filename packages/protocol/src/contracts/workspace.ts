import Type from 'typebox';
import { WorkspaceFile, WorkspaceFileEntry, WriteFile } from '../schemas/workspace.ts';
import { IfNoneMatch, json, NOT_MODIFIED, QueryCount, type RouteContract } from './contract.ts';

/** The files that the agents of a tenant share. */

const FileParams = Type.Object({ path: Type.String({ description: 'Slashes may be escaped as %2F' }) });
const IfMatch = Type.Object({
  'if-match': Type.Optional(Type.String({ description: 'The `etag` that the file must still have' })),
});

const listFiles = {
  method: 'GET',
  path: '/v1/host/workspace/files',
  access: 'workspace:read',
  idempotent: 'always',
  tag: 'workspace',
  summary: 'The files of the workspace',
  responses: { 200: json(Type.Object({ files: Type.Array(WorkspaceFileEntry) })) },
  refusals: [],
} as const satisfies RouteContract;

const readFile = {
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
} as const satisfies RouteContract;

const writeFile = {
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
} as const satisfies RouteContract;

const deleteFile = {
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
} as const satisfies RouteContract;

export const WORKSPACE_CONTRACTS = { listFiles, readFile, writeFile, deleteFile } as const;
