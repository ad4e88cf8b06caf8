import { Readable } from 'node:stream';
import { debugBundle } from '@baton/engine';
import { CONTRACTS, MAX_BUNDLED_RUNS } from '@baton/protocol';
import type { FastifyReply } from 'fastify';
import { identityOf } from '../auth/bearer.ts';
import { bind, type RequestTo } from '../http/bind.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { VERSION } from '../version.ts';
import { kept, noSuchRun } from './run-of.ts';
import { CHILDREN_SHOWN, snapshotFrom } from './snapshot.ts';

/** Larger trees are cut off, and the bundle says so. */
const BUNDLE_BYTES = 16 * 1024 * 1024;

type BundleRequest = RequestTo<typeof CONTRACTS.exportRun>;

export const debugBundleRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.exportRun, (request, reply) => sendBundle(host, request, reply), { heavy: true });
};

async function sendBundle(
  host: HostContext,
  request: BundleRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const identity = identityOf(request);
  const { runId } = request.params;
  // The rows and the snapshot are read at the same moment, so that the whole bundle shows the same events.
  const view = await host.stored.treeView(identity.tenant, runId, CHILDREN_SHOWN, MAX_BUNDLED_RUNS);
  if (view === undefined) throw noSuchRun(runId);
  const pieces = debugBundle(host.stored, {
    row: kept(view.row),
    descendants: view.descendants,
    snapshot: await snapshotFrom(host, view, { ...identity, scopes: NO_SCOPES }),
    host: { name: 'Baton', version: VERSION },
    now: Date.now(),
    maxBytes: BUNDLE_BYTES,
    redactor: host.vault.redactor(identity.tenant),
    key: host.auditKey,
  });
  // A piece is read only when the reader has taken the previous one, so a slow reader needs no memory.
  return reply.type('application/json; charset=utf-8').send(Readable.from(pieces, { highWaterMark: 2 }));
}

/** A bundle is passed on to others, so its snapshot has no link to answer an interrupt. */
const NO_SCOPES = new Set<never>();
