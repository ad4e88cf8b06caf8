import { CONTRACTS } from '@baton/protocol';
import { callerOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import { carryOut } from '../http/command.ts';
import type { Routes } from '../http/context.ts';
import { idempotencyOf } from '../http/idempotency.ts';

export const eraseRunRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.eraseRun, async (request, reply) => {
    const command = {
      kind: 'erase-run',
      caller: callerOf(request),
      idempotency: idempotencyOf(request),
      runId: request.params.runId,
      reason: request.body.reason,
    } as const;
    const { runId, runs } = await carryOut(host.engine, reply, command, 'erased');
    return { runId, erased: true, runs };
  });
};
