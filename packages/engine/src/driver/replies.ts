import { BatonError, type ErrorBody } from '@baton/protocol';
import type { Caller, Command, Idempotency, Reply, ReplyValue } from '../commands.ts';
import type { IdempotencyRecord, Store } from '../ports/store.ts';

/** Remembered replies: a request that is repeated with the same key gets the reply of the first request. */
export interface Replies {
  /** The earlier reply, or a refusal when the key was used for another request. */
  earlier(command: Command): Promise<Reply | undefined>;
  /**
   * To be stored in the same slice as the events of the command. If the same request is under way twice, the
   * store refuses the second slice, and the second request then finds this reply.
   */
  remember(command: Command, reply: Reply, at: number): IdempotencyRecord | undefined;
}

export function repliesOf(store: Store): Replies {
  return {
    async earlier(command) {
      if (!('idempotency' in command) || command.idempotency === undefined) return undefined;
      const { tenant } = command.caller;
      const { key, request } = command.idempotency;
      const owner = ownerOf(command.caller, command.idempotency);
      const record = await store.replyFor(tenant, owner, key);
      if (record === undefined) return undefined;
      if (record.request !== request) return refused(new BatonError('idempotency_key_mismatch').body());
      return { ok: true, value: JSON.parse(record.reply) as ReplyValue, replayed: true };
    },
    remember(command, reply, at) {
      if (!('idempotency' in command) || command.idempotency === undefined || !reply.ok) return undefined;
      return recordOf(command, command.idempotency, reply, at);
    },
  };
}

export function recordOf(
  asked: { readonly caller: Caller },
  idempotency: Idempotency,
  reply: Reply,
  at: number,
): IdempotencyRecord {
  const { key, request } = idempotency;
  return {
    tenant: asked.caller.tenant,
    principal: ownerOf(asked.caller, idempotency),
    key,
    request,
    reply: JSON.stringify(reply.ok ? reply.value : null),
    at,
  };
}

/** The principal that the remembered reply belongs to. */
function ownerOf({ principal }: Caller, { owner = principal }: Idempotency): string {
  return owner;
}

export function done(value: ReplyValue): Reply {
  return { ok: true, value, replayed: false };
}

export function refused(error: ErrorBody): Reply {
  return { ok: false, error };
}
