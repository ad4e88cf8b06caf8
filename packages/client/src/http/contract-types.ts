import type { AnswerOf, CONTRACTS, OperationName, PartOf } from '@baton/protocol';

/** The types of requests and answers, derived from the contracts of the routes. Nothing of it exists at run time. */

type Contracts = typeof CONTRACTS;

export type Query<O extends OperationName> = PartOf<Contracts[O], 'query'>;
export type Body<O extends OperationName> = PartOf<Contracts[O], 'body'>;

/** The JSON document with which the host answers when it has done what was asked. */
export type Answer<O extends OperationName> = AnswerOf<Contracts[O]>;

/** How a route is called, as its contract says, and what its answer always has. */
export type RouteOf<O extends OperationName> = readonly [
  method: Contracts[O]['method'],
  path: Contracts[O]['path'],
  repeat: Contracts[O]['idempotent'],
  member?: keyof Answer<O>,
  kind?: 'string' | 'number' | 'boolean' | 'list' | 'object',
];
