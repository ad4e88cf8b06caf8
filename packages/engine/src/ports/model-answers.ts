import type { Json } from '@baton/protocol';

/** Answers of models that other runs of the same tenant may use, if the operator has allowed it. */

export interface ModelAnswerRecord {
  readonly tenant: string;
  /** The key of the request, computed as the protocol says. It does not contain the tenant. */
  readonly cacheKey: string;
  readonly answer: Json;
  readonly at: number;
}

export interface ModelAnswerReads {
  modelAnswer(tenant: string, cacheKey: string): Promise<Json | undefined>;
}
