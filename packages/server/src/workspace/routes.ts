import { fileEntry, fileView } from '@baton/engine';
import type { MemoryReads, MemoryRow } from '@baton/engine/ports';
import {
  BatonError,
  CONTRACTS,
  DEFAULT_CONTENT_TYPE,
  DEFAULT_WORKSPACE,
  MAX_FILE_BYTES,
  MAX_FILES,
  problemWith,
  WorkspacePath,
  workspaceScope,
} from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import { callerOf, identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import { carryOut } from '../http/command.ts';
import type { Routes } from '../http/context.ts';
import { notModified } from '../http/etag.ts';

/** The files that a tenant's agents share. */

/** Escaped, a byte can take six characters of JSON; what is too large is then told apart from what is no file at all. */
const BODY_LIMIT = MAX_FILE_BYTES * 8;

type FileRequest = FastifyRequest<{ Params: { readonly path: string } }>;

export const workspaceRoutes: Routes = (app, host) => {
  bind(app, CONTRACTS.listFiles, async (request) => ({
    files: (await listFiles(host, identityOf(request).tenant, DEFAULT_WORKSPACE)).map(fileEntry),
  }));

  bind(app, CONTRACTS.readFile, async (request, reply) => {
    const path = pathOf(request);
    const { tenant } = identityOf(request);
    const file = await readFile(host, tenant, DEFAULT_WORKSPACE, path, request.query.version);
    if (file === undefined) throw new BatonError('not_found', 'There is no such file.', { path });
    const view = fileView(file);
    if (notModified(request, reply, `"${view.etag}"`)) return reply.code(304).send();
    return view;
  });

  bind(
    app,
    CONTRACTS.writeFile,
    async (request, reply) => {
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
    { bodyLimit: BODY_LIMIT },
  );

  bind(app, CONTRACTS.deleteFile, async (request, reply) => {
    await carryOut(host.engine, reply, { kind: 'delete-file', ...askedFor(request) }, 'done');
    return reply.code(204).send();
  });
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
  const { path } = request.params;
  const problem = problemWith(WorkspacePath, path);
  if (problem === undefined) return path;
  throw new BatonError(
    'validation_error',
    'A path has letters, digits and . _ / - only, begins with a letter or digit and has no "..".',
    { field: 'path' },
  );
}

interface FileSource {
  readonly stored: MemoryReads;
}

export async function listFiles(
  host: FileSource,
  tenant: string,
  workspace: string,
): Promise<readonly MemoryRow[]> {
  const scope = workspaceScope(workspace);
  const version = (await host.stored.scope(tenant, scope))?.version ?? 0;
  return host.stored.memory({ tenant, view: [{ scope, version }], now: Date.now(), limit: MAX_FILES });
}

/** The newest version, or an earlier one while it is kept. */
export async function readFile(
  host: FileSource,
  tenant: string,
  workspace: string,
  path: string,
  revision?: number,
): Promise<MemoryRow | undefined> {
  const scope = workspaceScope(workspace);
  const head = await host.stored.scope(tenant, scope);
  if (head === undefined) return undefined;
  for (let version = head.version; version >= head.oldest; ) {
    const query = { tenant, view: [{ scope, version }], now: Date.now(), id: path, limit: 1 };
    const [file] = await host.stored.memory(query);
    if (file === undefined || revision === undefined || file.revision === revision) return file;
    if (file.revision < revision) return undefined;
    version = file.version - 1;
  }
  return undefined;
}
