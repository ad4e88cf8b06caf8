import Type, { type Static, type TSchema } from 'typebox';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { LARGEST_COUNT } from '../schemas/numbers.ts';
import type { Scope } from '../scopes.ts';

/**
 * The contract of one route: everything that clients and the host must agree on. The host binds its handlers
 * to contracts, the OpenAPI document is made from them, and a client can be typed with them.
 */
export interface RouteContract {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /**
   * `{name}` is one segment of the address, or the part of a segment before a colon. `{+name}` may contain
   * slashes.
   */
  readonly path: `/${string}`;
  readonly access: Access;
  /** Other hosts may use the route, for what belongs to them. */
  readonly peers?: true;
  readonly idempotent: Idempotent;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: true;
  /** The OpenAPI document leaves the route out. */
  readonly undocumented?: true;
  readonly params?: TSchema;
  readonly query?: TSchema;
  /**
   * Request headers that the route reads, in lower case. `Authorization` and `Idempotency-Key` follow from
   * other fields.
   */
  readonly headers?: TSchema;
  readonly body?: TSchema;
  /** An empty body is refused, although the schema requires no single field. */
  readonly emptyBody?: 'refused';
  readonly responses: Readonly<Record<number, ResponseContract>>;
  /** The data of each frame of a stream, where the frames are not those of the log of a run. */
  readonly frames?: TSchema;
  /** Errors of this route only. `refusalsOf` adds those that follow from the other fields. */
  readonly refusals: readonly ErrorCode[];
}

/** The routes of an area, by the names of their operations. */
export type Routes = Readonly<Record<string, RouteContract>>;

/**
 * Who may use a route: holders of a scope, every holder of a valid key or session (`authenticated`), or everybody.
 * There is no default.
 */
export type Access = Scope | 'authenticated' | 'public';

/**
 * The effect of sending a request twice. `always`: the second changes nothing. `with-key`: the second changes
 * nothing and gets the answer of the first, if both have the same `Idempotency-Key`. `never`: the work is
 * done twice.
 */
export type Idempotent = 'always' | 'with-key' | 'never';

type Tag =
  | 'discovery'
  | 'sessions'
  | 'operations'
  | 'workflows'
  | 'agents'
  | 'runs'
  | 'events'
  | 'interrupts'
  | 'memory'
  | 'workspace'
  | 'secrets'
  | 'a2a'
  | 'mcp'
  | 'webhooks'
  | 'audit';

export type MediaType = 'application/json' | 'text/event-stream' | 'text/plain';

export interface ResponseContract {
  readonly description: string;
  /** The schema of the body for each media type. Empty for an answer without a body. */
  readonly content: Readonly<Partial<Record<MediaType, TSchema>>>;
}

/** The type of a part of a request, such as `query`. `unknown` when the contract does not define it. */
export type PartOf<C extends RouteContract, P extends 'params' | 'query' | 'body'> =
  C extends Readonly<Record<P, infer S extends TSchema>> ? Static<S> : unknown;

/** The statuses with which a host answers that it has done what was asked. */
type Done = 200 | 201 | 202;

/** The JSON document with which a route answers when it has done what was asked; `never` when it answers with none. */
export type AnswerOf<C extends RouteContract> = JsonIn<C['responses']>;

type JsonIn<R> = {
  [S in keyof R & Done]: R[S] extends {
    readonly content: { readonly 'application/json': infer J extends TSchema };
  }
    ? Static<J>
    : never;
}[keyof R & Done];

export function json<S extends TSchema>(schema: S, description = 'Done') {
  return { description, content: { 'application/json': schema } } as const;
}

export const NOT_MODIFIED = { description: 'The caller has this version already', content: {} } as const;

export const IfNoneMatch = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({ description: 'The `ETag` of the version that the caller has' }),
  ),
});

export const RunParams = Type.Object({ runId: Type.String() });

/** The answer of every command that changes a run. */
export const RunMoved = Type.Object({ runId: Type.String(), status: Type.String() });

export const Bag = Type.Unsafe<Record<string, unknown>>({ type: 'object' });
export const DateTime = Type.String({ format: 'date-time' });
export const Cursor = Type.String({ minLength: 1, maxLength: 512 });
/** A number of events, checkpoints or versions in a query. The host reads it without loss up to this maximum. */
export const QueryCount = { minimum: 0, maximum: LARGEST_COUNT } as const;
/** The sequence of the last event that a reader has; -1 when it has none. */
export const LastSequence = Type.Integer({ minimum: -1, maximum: LARGEST_COUNT });
export const PageSize = Type.Integer({ minimum: 1, maximum: 200 });

/** Errors that follow from the kind of a route. */

const EVERY: readonly ErrorCode[] = [
  'validation_error',
  'request_timeout',
  'too_many_open',
  'overloaded',
  'store_unavailable',
  'internal_error',
];
const WITH_KEY_OF_CALLER: readonly ErrorCode[] = ['unauthenticated', 'forbidden', 'rate_limited'];
const NAMES_SOMETHING: readonly ErrorCode[] = ['not_found'];
/** A tenant with too many answers that its readers have not taken is refused. */
const READ: readonly ErrorCode[] = ['too_many_reads'];
/** Everything but a read is a command for the engine. */
const COMMAND: readonly ErrorCode[] = [
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
  'shutting_down',
  'engine_restarted',
  'storage_full',
  'tenant_storage_full',
];
const WITH_IDEMPOTENCY_KEY: readonly ErrorCode[] = ['idempotency_key_mismatch', 'idempotency_in_flight'];

/** Every error that a route can return, each once, ordered by status. */
export function refusalsOf(contract: RouteContract): readonly ErrorCode[] {
  const { access, params, method, idempotent, refusals } = contract;
  const isPublic = access === 'public';
  const codes = [
    ...EVERY,
    ...(isPublic ? [] : WITH_KEY_OF_CALLER),
    ...(params === undefined ? [] : NAMES_SOMETHING),
    ...(method === 'GET' ? (isPublic ? [] : READ) : COMMAND),
    ...(idempotent === 'with-key' ? WITH_IDEMPOTENCY_KEY : []),
    ...refusals,
  ];
  return [...new Set(codes)].sort((a, b) => ERRORS[a][0] - ERRORS[b][0]);
}
