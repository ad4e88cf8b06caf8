import { stateAt } from '@baton/engine';
import { BatonError, CONTRACTS } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import { inTurn } from '../http/fair-schedule.ts';
import { keptRunOf } from './run-of.ts';

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
    { heavy: 'read' },
  );
};
