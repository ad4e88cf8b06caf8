/** A remembered reply. Keys belong to a principal: the same key of another one is another request. */
export interface IdempotencyRecord {
  readonly tenant: string;
  readonly principal: string;
  readonly key: string;
  /** Digest of the request, so that the same key with another request can be refused. */
  readonly request: string;
  readonly reply: string;
  readonly at: number;
}

export interface ReplyReads {
  /** The remembered reply to a request of the principal with this key. */
  replyFor(tenant: string, principal: string, key: string): Promise<IdempotencyRecord | undefined>;
}
