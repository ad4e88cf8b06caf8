import { foldToRead, hideSealed } from '@baton/engine';
import { BatonError, CONTRACTS, type RunEvent } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { inTurn } from '../http/fair-schedule.ts';
import { keptRunOf, noSuchRun } from './run-of.ts';

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
