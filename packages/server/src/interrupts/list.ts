import { hideText } from '@baton/engine';
import type { InterruptRow } from '@baton/engine/ports';
import { isoTime } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { identityOf } from '../auth/bearer.ts';
import type { Identity } from '../auth/keyring.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { interruptLink } from './link.ts';

/** Lists the open interrupts of all runs of a tenant. */

const ListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
});

const Waiting = Type.Object({
  runId: Type.String(),
  rootRunId: Type.String(),
  workflowId: Type.String(),
  nodeId: Type.String(),
  interruptId: Type.String(),
  kind: Type.String(),
  title: Type.String(),
  requestedAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.Optional(Type.String({ format: 'date-time' })),
  interruptToken: Type.Optional(Type.String()),
  callbackUrl: Type.Optional(Type.String()),
});
const WaitingList = Type.Object({
  interrupts: Type.Array(Waiting),
  nextCursor: Type.Optional(Type.String()),
});

type ListRequest = FastifyRequest<{ Querystring: Type.Static<typeof ListQuery> }>;

export const listInterruptsRoute: Routes = (app, host) => {
  app.get(
    '/v1/interrupts',
    {
      schema: {
        tags: ['interrupts'],
        summary: 'Open interrupts, oldest first',
        querystring: ListQuery,
        response: { 200: WaitingList },
      },
      config: { access: 'runs:read' },
    },
    async (request: ListRequest) => {
      const { limit = 50, cursor } = request.query;
      const identity = identityOf(request);
      const page = host.reads.interrupts(identity.tenant, limit, cursor);
      return { interrupts: page.items.map((row) => entryOf(host, identity, row)), nextCursor: page.next };
    },
  );
};

function entryOf(host: HostContext, identity: Identity, row: InterruptRow): Type.Static<typeof Waiting> {
  return {
    runId: row.runId,
    rootRunId: row.rootId,
    workflowId: row.workflowId,
    nodeId: row.nodeId,
    interruptId: row.interruptId,
    kind: row.kind,
    title: hideText(row.title),
    requestedAt: isoTime(row.requestedAt),
    expiresAt: row.expiresAt === undefined ? undefined : isoTime(row.expiresAt),
    ...interruptLink(host, identity, row),
  };
}
