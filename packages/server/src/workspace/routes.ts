import { fileEntry, fileView } from '@baton/engine';
import type { MemoryRow } from '@baton/engine/ports';
import {
  BatonError,
  DEFAULT_CONTENT_TYPE,
  DEFAULT_WORKSPACE,
  MAX_FILE_BYTES,
  MAX_FILES,
  problemWith,
  WorkspaceFile,
  WorkspaceFileEntry,
  WorkspacePath,
  WriteFile,
  workspaceScope,
} from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { callerOf, identityOf } from '../auth/bearer.ts';
import { carryOut } from '../http/command.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { notModified } from '../http/etag.ts';

/** The files that a tenant's agents share. */

const FILES = '/v1/host/workspace/files';
/** Escaped, a byte can take six characters of JSON; what is too large is then told apart from what is no file at all. */
const BODY_LIMIT = MAX_FILE_BYTES * 8;

const Params = Type.Object({ '*': Type.String() });
const Query = Type.Object({ version: Type.Optional(Type.Integer({ minimum: 1 })) });
type FileRequest<B = unknown> = FastifyRequest<{
  Params: Type.Static<typeof Params>;
  Querystring: Type.Static<typeof Query>;
  Body: B;
}>;

export const workspaceRoutes: Routes = (app, host) => {
  app.get(
    FILES,
    {
      schema: {
        tags: ['workspace'],
        summary: 'The files of the workspace',
        response: { 200: Type.Object({ files: Type.Array(WorkspaceFileEntry) }) },
      },
      config: { access: 'workspace:read' },
    },
    async (request) => ({
      files: listFiles(host, identityOf(request).tenant, DEFAULT_WORKSPACE).map(fileEntry),
    }),
  );

  app.get(
    `${FILES}/*`,
    {
      schema: {
        tags: ['workspace'],
        summary: 'A file of the workspace',
        params: Params,
        querystring: Query,
        response: { 200: WorkspaceFile },
      },
      config: { access: 'workspace:read' },
    },
    async (request: FileRequest, reply) => {
      const path = pathOf(request);
      const { tenant } = identityOf(request);
      const file = readFile(host, tenant, DEFAULT_WORKSPACE, path, request.query.version);
      if (file === undefined) throw new BatonError('not_found', 'There is no such file.', { path });
      const view = fileView(file);
      if (notModified(request, reply, `"${view.etag}"`)) return reply.code(304).send();
      return view;
    },
  );

  app.put(
    `${FILES}/*`,
    {
      bodyLimit: BODY_LIMIT,
      schema: {
        tags: ['workspace'],
        summary: 'Write a file of the workspace',
        description: 'With `If-Match` only if the file is still as its `etag` says.',
        params: Params,
        body: WriteFile,
        response: { 200: WorkspaceFile },
      },
      config: { access: 'workspace:write' },
    },
    async (request: FileRequest<WriteFile>, reply) => {
      const { content, contentType = DEFAULT_CONTENT_TYPE } = request.body;
      const { file } = await carryOut(
        host.engine,
        reply,
        { kind: 'put-file', ...askedFor(request), content, contentType },
        'file',
      );
      const view = fileView(file);
      reply.header('etag', `"${view.etag}"`);
      return view;
    },
  );

  app.delete(
    `${FILES}/*`,
    {
      schema: { tags: ['workspace'], summary: 'Delete a file of the workspace', params: Params },
      config: { access: 'workspace:write' },
    },
    async (request: FileRequest, reply) => {
      await carryOut(host.engine, reply, { kind: 'delete-file', ...askedFor(request) }, 'done');
      return reply.code(204).send();
    },
  );
};

function askedFor(request: FileRequest) {
  const ifMatch = request.headers['if-match']?.replace(/^W\//, '').replace(/^"(.*)"$/, '$1');
  return {
    caller: callerOf(request),
    workspace: DEFAULT_WORKSPACE,
    path: pathOf(request),
    ...(ifMatch !== undefined && { ifMatch }),
  };
}

function pathOf(request: FileRequest): string {
  const path = request.params['*'];
  const problem = problemWith(WorkspacePath, path);
  if (problem === undefined) return path;
  throw new BatonError(
    'validation_error',
    'A path has letters, digits and . _ / - only, begins with a letter or digit and has no "..".',
    { field: 'path' },
  );
}

export function listFiles(
  host: Pick<HostContext, 'stored'>,
  tenant: string,
  workspace: string,
): readonly MemoryRow[] {
  const scope = workspaceScope(workspace);
  const version = host.stored.scope(tenant, scope)?.version ?? 0;
  return host.stored.memory({ tenant, view: [{ scope, version }], now: Date.now(), limit: MAX_FILES });
}

/** The newest version, or an earlier one while it is kept. */
export function readFile(
  host: Pick<HostContext, 'stored'>,
  tenant: string,
  workspace: string,
  path: string,
  revision?: number,
): MemoryRow | undefined {
  const scope = workspaceScope(workspace);
  const head = host.stored.scope(tenant, scope);
  if (head === undefined) return undefined;
  for (let version = head.version; version >= head.oldest; ) {
    const query = { tenant, view: [{ scope, version }], now: Date.now(), id: path, limit: 1 };
    const [file] = host.stored.memory(query);
    if (file === undefined || revision === undefined || file.revision === revision) return file;
    if (file.revision < revision) return undefined;
    version = file.version - 1;
  }
  return undefined;
}
