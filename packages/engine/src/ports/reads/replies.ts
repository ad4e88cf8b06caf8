import type { IdempotencyRecord } from '../store.ts';

export interface ReplyReads {
  /** The remembered reply to a request of the principal with this key. */
  replyFor(tenant: string, principal: string, key: string): Promise<IdempotencyRecord | undefined>;
}
