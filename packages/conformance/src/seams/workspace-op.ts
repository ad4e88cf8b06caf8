import { fileEntry, fileView } from '@baton/engine';
import { BatonError, DEFAULT_CONTENT_TYPE, invalid, WorkspacePath } from '@baton/protocol';
import { callerOf, carryOut, listFiles, type Routes, readFile } from '@baton/server/extension';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';

/** The workspace as any tenant would use it, to see that none finds another's files. */

const Name = Type.String({ minLength: 1, maxLength: 128 });
const Operation = Type.Object(
  {
    tenant: Name,
    workspace: Name,
    op: Type.Unsafe<'put' | 'get' | 'list' | 'delete'>({ enum: ['put', 'get', 'list', 'delete'] }),
    path: Type.Optional(WorkspacePath),
    content: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
type Operation = Type.Static<typeof Operation>;

export const workspaceSeam: Routes = (app, host) => {
  app.post(
    '/v1/host/sample/workspace/op',
    { schema: { body: Operation }, config: { access: 'workspace:write' } },
    async (request: FastifyRequest<{ Body: Operation }>, reply) => {
      const { tenant, workspace, op, path = '', content = '' } = request.body;
      if (op !== 'list' && path === '') throw invalid('The body', { field: 'path', problem: 'is missing' });
      // Prefixed, so that the seam reaches no real tenant.
      const owner = `seam:${tenant}`;
      const asked = { caller: { ...callerOf(request), tenant: owner }, workspace, path };
      switch (op) {
        case 'put': {
          const command = { kind: 'put-file', ...asked, content, contentType: DEFAULT_CONTENT_TYPE } as const;
          return fileView((await carryOut(host.engine, reply, command, 'file')).file);
        }
        case 'get': {
          const file = await readFile(host, owner, workspace, path);
          if (file === undefined) throw new BatonError('not_found', 'There is no such file.', { path });
          return fileView(file);
        }
        case 'list':
          return { files: (await listFiles(host, owner, workspace)).map(fileEntry) };
        case 'delete':
          await carryOut(host.engine, reply, { kind: 'delete-file', ...asked }, 'done');
          return { deleted: true };
      }
    },
  );
};
