import type { Idempotency } from '@baton/engine';
import { CONTRACTS } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import { callerOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import { carryOut } from '../http/command.ts';
import type { Routes } from '../http/context.ts';
import { idempotencyOf } from '../http/idempotency.ts';

interface Asked {
  readonly caller: ReturnType<typeof callerOf>;
  readonly idempotency?: Idempotency;
  readonly runId: string;
}

function askedBy(request: FastifyRequest<{ Params: { readonly runId: string } }>): Asked {
  return {
    caller: callerOf(request),
    idempotency: idempotencyOf(request),
    runId: request.params.runId,
  };
}

export const cancelRunRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.cancelRun, async (request, reply) => {
    const { reason } = request.body;
    const command = { kind: 'cancel-run', ...askedBy(request), reason } as const;
    const { runId, status } = await carryOut(host.engine, reply, command, 'run');
    return { runId, status };
  });
};

export const pauseRunRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.pauseRun, async (request, reply) => {
    const { reason, drainPolicy = 'drain-current-node' } = request.body;
    const command = { kind: 'pause-run', ...askedBy(request), reason, drainPolicy } as const;
    const { runId, status } = await carryOut(host.engine, reply, command, 'run');
    return reply.code(202).send({ runId, status });
  });
};

export const resumeRunRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.resumeRun, async (request, reply) => {
    const command = { kind: 'resume-run', ...askedBy(request) } as const;
    const { runId, status } = await carryOut(host.engine, reply, command, 'run');
    return reply.code(202).send({ runId, status });
  });
};
