import { auditRun, foldToRead, hideSealed, stateAt } from '@baton/engine';
import { BatonError, CONTRACTS, type RunEvent } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { notModified } from '../http/etag.ts';
import { inTurn } from '../http/fair-schedule.ts';
import { keptRunOf, noSuchRun } from './run-of.ts';
import { CHILDREN_SHOWN, snapshotEtag, snapshotFrom } from './snapshot.ts';

export const readRunRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.readRun, async (request, reply) => {
    const identity = identityOf(request);
    const { runId } = request.params;
    reply.header('cache-control', 'private, no-cache');
    if (request.headers['if-none-match'] !== undefined) {
      const overview = await host.reads.runOverview(identity.tenant, runId, CHILDREN_SHOWN);
      if (overview === undefined) throw noSuchRun(runId);
      const etag = snapshotEtag(host, overview, identity);
      if (notModified(request, reply, etag)) return reply.code(304).send();
    }
    // Read again and with the log: the run may have changed since, and the tag has to fit the answer.
    const view = await host.reads.runView(identity.tenant, runId, CHILDREN_SHOWN);
    if (view === undefined) throw noSuchRun(runId);
    reply.header('etag', snapshotEtag(host, view, identity));
    return snapshotFrom(host, view, identity);
  });
};

/** The state of a run before any of its events. */

export const runStateRoute: Routes = (app, host) => {
  bind(
    app,
    CONTRACTS.readRunState,
    async (request) => {
      const { tenant } = identityOf(request);
      const row = await keptRunOf(host, { tenant, runId: request.params.runId });
      const { at = row.head } = request.query;
      if (at > row.head) {
        throw new BatonError(
          'fork_point_not_found',
          `The run has ${row.head} events; there is no state at ${at}.`,
          {
            at,
            lastSequence: row.head - 1,
          },
        );
      }
      const state = await stateAt(host.stored, { tenant, runId: row.runId }, at, (work) =>
        inTurn(host.turns, tenant, work),
      );
      if (state !== undefined) return state;
      throw new BatonError('replay_memory_snapshot_unavailable', undefined, {
        fromSeq: at,
        sourceRunId: row.runId,
        reason: 'retention_expired',
      });
    },
    { heavy: true },
  );
};

/**
 * The values that a run merged from its children, compared with checksums that are recomputed from the stored
 * logs.
 */

export const attestationsRoute: Routes = (app, host) => {
  bind(
    app,
    CONTRACTS.readAttestations,
    async (request) => {
      const { tenant } = identityOf(request);
      const { runId } = await keptRunOf(host, { tenant, runId: request.params.runId });
      const audit = await auditRun(host.stored, { tenant, runId });
      // The run exists, so its log has no beginning.
      if (audit === undefined) throw new BatonError('run_unreadable', undefined, { runId });
      return audit;
    },
    { heavy: true },
  );
};

/** An artifact that a person was asked to approve, as the person saw it. */
export const artifactRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.readArtifact, async (request) => {
    const { runId, artifactId } = request.params;
    return readArtifact(host, identityOf(request).tenant, runId, artifactId);
  });
};

async function readArtifact(host: HostContext, tenant: string, runId: string, artifactId: string) {
  await keptRunOf(host, { tenant, runId });
  const stored = await host.reads.stored(tenant, runId);
  if (stored === undefined) throw noSuchRun(runId);
  const { artifacts } = await inTurn(host.turns, tenant, () => foldToRead(stored));
  const sequence = Object.hasOwn(artifacts, artifactId) ? artifacts[artifactId] : undefined;
  const [text] = sequence === undefined ? [] : await host.reads.events(tenant, runId, sequence, 1);
  const event: RunEvent | undefined = text === undefined ? undefined : JSON.parse(text);
  if (event?.type !== 'interrupt.requested' || event.payload.kind !== 'approval') {
    throw new BatonError('not_found', 'The run has no artifact with this id.', { artifactId });
  }
  const { artifactType, artifactData = null } = event.payload.data;
  return {
    artifactId,
    artifactType,
    runId,
    nodeId: event.nodeId,
    data: hideSealed(artifactData),
    createdAt: event.timestamp,
  };
}
