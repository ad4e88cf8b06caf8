import { auditRun } from '@baton/engine';
import { BatonError, CONTRACTS } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import { keptRunOf } from './run-of.ts';

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
    { heavy: 'read' },
  );
};
