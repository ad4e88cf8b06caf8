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
  /** The owner of the Idempotency-Key, when the answer comes by a link and the caller is unknown. */
  readonly owner?: string;
}

/** Sends the answer to a waiting run. The engine checks whether the answer fits the interrupt. */
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
