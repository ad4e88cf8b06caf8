import { diffRuns } from '@baton/engine';
import { CONTRACTS } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import { inTurn } from '../http/fair-schedule.ts';
import { keptRunOf, noSuchRun } from './run-of.ts';

/** Where two runs begin to differ, and how their results differ. */

export const diffRunsRoute: Routes = (app, host) => {
  for (const contract of [CONTRACTS.diffRuns, CONTRACTS.diffRunsByVerb]) {
    bind(
      app,
      contract,
      async (request) => {
        const { tenant } = identityOf(request);
        const a = await keptRunOf(host, { tenant, runId: request.params.runId });
        const b = await keptRunOf(host, { tenant, runId: request.query.against });
        const diff = await diffRuns(host.stored, tenant, a.runId, b.runId, (work) =>
          inTurn(host.turns, tenant, work),
        );
        if (diff === undefined) throw noSuchRun(a.runId);
        return diff;
      },
      { heavy: true },
    );
  }
};
