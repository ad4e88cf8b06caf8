import type { Command, Engine, ReplyValue } from '@baton/engine';
import type { FastifyReply } from 'fastify';
import { refusal } from './errors.ts';

type ValueOf<K extends ReplyValue['kind']> = Extract<ReplyValue, { kind: K }>;

/**
 * Sends a command to the engine and returns its result. A refusal is thrown. A reply that is repeated from an
 * earlier request with the same idempotency key is marked with a header.
 */
export async function carryOut<K extends ReplyValue['kind']>(
  engine: Engine,
  reply: FastifyReply,
  command: Command,
  expected: K,
): Promise<ValueOf<K>> {
  const outcome = await engine.execute(command);
  if (!outcome.ok) throw refusal(outcome.error);
  if (outcome.replayed) reply.header('openwop-idempotent-replay', 'true');
  if (!isKind(outcome.value, expected)) {
    throw new Error(`the engine answered ${command.kind} with ${outcome.value.kind}`);
  }
  return outcome.value;
}

function isKind<K extends ReplyValue['kind']>(value: ReplyValue, kind: K): value is ValueOf<K> {
  return value.kind === kind;
}
