import { auditRun } from '@baton/engine';
import { MERGE_REASONS, VERDICTS } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { identityOf } from '../auth/bearer.ts';
import type { Routes } from '../http/context.ts';
import { keptRunOf, noSuchRun } from './run-of.ts';
import { RUN, RunParams } from './run-params.ts';

/**
 * The values that a run merged from its children, compared with checksums that are recomputed from the stored
 * logs.
 */

const Variable = Type.Object({
  name: Type.String(),
  from: Type.String({ description: 'The name of the variable in the child' }),
  matches: Type.Boolean({ description: 'The value is the output of the child, or the edit of a person' }),
  current: Type.Boolean({ description: 'The variable was not written again since' }),
});

const Merge = Type.Object({
  nodeId: Type.String(),
  workerId: Type.String(),
  childRunId: Type.String(),
  merged: Type.Boolean(),
  why: Type.Unsafe<string>({ enum: [...MERGE_REASONS, 'revised', 'undecided'] }),
  approvedBy: Type.Array(Type.String()),
  verdict: Type.Optional(
    Type.Object({
      verdict: Type.Unsafe<string>({ enum: [...VERDICTS] }),
      agentId: Type.String(),
      criticRunId: Type.Optional(Type.String()),
    }),
  ),
  checksum: Type.Optional(Type.String({ description: 'As recorded in the log of the run' })),
  recomputed: Type.Optional(Type.String({ description: 'Recomputed from the log of the child' })),
  editedChecksum: Type.Optional(Type.String()),
  recomputedEdit: Type.Optional(Type.String()),
  matches: Type.Optional(Type.Boolean({ description: 'Absent when no checksum was recorded' })),
  variables: Type.Array(Variable),
});

const Attestations = Type.Object({
  runId: Type.String(),
  attestations: Type.Array(Merge),
  allMatch: Type.Boolean(),
});

type AttestationsRequest = FastifyRequest<{ Params: RunParams }>;

export const attestationsRoute: Routes = (app, host) => {
  app.get(
    `${RUN}/attestations`,
    {
      schema: {
        tags: ['runs'],
        summary: 'Merges from children, and whether the logs still match the recorded checksums',
        params: RunParams,
        response: { 200: Attestations },
      },
      config: { access: 'audit:read', heavy: 'read' },
    },
    async (request: AttestationsRequest) => {
      const { tenant } = identityOf(request);
      const { runId } = keptRunOf(host, { tenant, runId: request.params.runId });
      const audit = await auditRun(host.stored, { tenant, runId });
      if (audit === undefined) throw noSuchRun(runId);
      return audit;
    },
  );
};
