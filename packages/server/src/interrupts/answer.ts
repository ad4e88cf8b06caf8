import type { Caller, InterruptTarget } from '@baton/engine';
import type { Json } from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { carryOut } from '../http/command.ts';
import type { HostContext } from '../http/context.ts';
import { idempotencyOf } from '../http/idempotency.ts';

export interface Answer {
  readonly caller: Caller;
  readonly runId: string;
  readonly target: InterruptTarget;
  readonly resumeValue: Json;
  readonly viaToken: boolean;
  readonly scopes: readonly string[];
  /** Whose Idempotency-Key it is, where nobody is known to answer. */
  readonly owner?: string;
}

/** Gives a waiting run its answer. Whether it is the right kind of answer is for the engine to say. */
export async function answerInterrupt(
  host: HostContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { owner, ...answer }: Answer,
): Promise<{ readonly runId: string; readonly status: string }> {
  const given = idempotencyOf(request);
  const idempotency = given && owner !== undefined ? { ...given, owner } : given;
  const command = { kind: 'resolve-interrupt', ...answer, idempotency } as const;
  const { runId, status } = await carryOut(host.engine, reply, command, 'run');
  return { runId, status };
}
