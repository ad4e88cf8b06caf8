import { Readable } from 'node:stream';
import { debugBundle } from '@baton/engine';
import { CONTRACTS } from '@baton/protocol';
import type { FastifyReply } from 'fastify';
import { identityOf } from '../auth/bearer.ts';
import { bind, type RequestTo } from '../http/bind.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { VERSION } from '../version.ts';
import { keptRunOf, noSuchRun, runOf } from './run-of.ts';
import { readSnapshot } from './snapshot.ts';

/** Larger trees are cut off, and say so. */
export const BUNDLE_BYTES = 16 * 1024 * 1024;

type BundleRequest = RequestTo<typeof CONTRACTS.exportRun>;

export const debugBundleRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.exportRun, (request, reply) => sendBundle(host, request, reply), { heavy: 'read' });
};

async function sendBundle(
  host: HostContext,
  request: BundleRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const identity = identityOf(request);
  const { runId } = request.params;
  const row = keptRunOf(host, { tenant: identity.tenant, runId });
  // Read again with the log: what happened in between is in neither, or in both.
  const snapshot = readSnapshot({ ...host, reads: host.stored }, runId, { ...identity, scopes: NO_SCOPES });
  if (snapshot === undefined) throw noSuchRun(runId);
  const pieces = debugBundle(host.stored, {
    row: runOf({ reads: host.stored }, row),
    snapshot,
    host: { name: 'Baton', version: VERSION },
    now: Date.now(),
    maxBytes: BUNDLE_BYTES,
    redactor: host.vault.redactor(identity.tenant),
    key: host.auditKey,
  });
  // A piece is read when the one before has been taken: a slow reader costs no memory.
  return reply.type('application/json; charset=utf-8').send(Readable.from(pieces, { highWaterMark: 2 }));
}

/** A bundle is passed on, so it holds no link that would let its reader answer. */
const NO_SCOPES = new Set<never>();
