import { foldStored, hideSealed } from '@baton/engine';
import { BatonError, type RunEvent } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { identityOf } from '../auth/bearer.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { keptRunOf, noSuchRun } from './run-of.ts';

/** An artifact that a person was asked to approve, as the person saw it. */

const ArtifactParams = Type.Object({ runId: Type.String(), artifactId: Type.String() });
const Artifact = Type.Object({
  artifactId: Type.String(),
  artifactType: Type.String(),
  runId: Type.String(),
  nodeId: Type.Optional(Type.String()),
  data: Type.Unsafe({}),
  createdAt: Type.String({ format: 'date-time' }),
});

type ArtifactRequest = FastifyRequest<{ Params: Type.Static<typeof ArtifactParams> }>;

export const artifactRoute: Routes = (app, host) => {
  app.get(
    '/v1/runs/:runId/artifacts/:artifactId',
    {
      schema: {
        tags: ['runs'],
        summary: 'An artifact that a person was asked to approve',
        params: ArtifactParams,
        response: { 200: Artifact },
      },
      config: { access: 'artifacts:read' },
    },
    async (request: ArtifactRequest) => {
      const { runId, artifactId } = request.params;
      return readArtifact(host, identityOf(request).tenant, runId, artifactId);
    },
  );
};

function readArtifact(host: HostContext, tenant: string, runId: string, artifactId: string) {
  keptRunOf(host, { tenant, runId });
  const stored = host.reads.stored(tenant, runId);
  if (stored === undefined) throw noSuchRun(runId);
  const { artifacts } = foldStored(stored);
  const sequence = Object.hasOwn(artifacts, artifactId) ? artifacts[artifactId] : undefined;
  const text = sequence === undefined ? undefined : host.reads.events(tenant, runId, sequence, 1)[0];
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
