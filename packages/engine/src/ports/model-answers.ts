import type { Json } from '@baton/protocol';

/** Answers of models that other runs may use, where the operator has allowed it. Never across tenants. */

export interface ModelAnswerRecord {
  readonly tenant: string;
  /** The request's key by the protocol's recipe. It names no tenant, so it means nothing without one. */
  readonly cacheKey: string;
  readonly answer: Json;
  readonly at: number;
}

export interface ModelAnswerReads {
  modelAnswer(tenant: string, cacheKey: string): Json | undefined;
}
