import { auditRun } from '@baton/engine';
import { CONTRACTS } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import { keptRunOf, noSuchRun } from './run-of.ts';

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
      if (audit === undefined) throw noSuchRun(runId);
      return audit;
    },
    { heavy: 'read' },
  );
};
