import { ERRORS, type ErrorCode } from '../errors.ts';
import type { RouteContract } from './contract.ts';

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
