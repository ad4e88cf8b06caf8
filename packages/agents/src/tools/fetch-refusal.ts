/** The rule that was broken. After `redirect` and `size` the first server has got the request. */
type BrokenRule = 'url' | 'address' | 'redirect' | 'size';

/** The guarded client refused to go on. The message is ours and repeats neither headers nor bodies. */
export class FetchRefusal extends Error {
  readonly rule: BrokenRule;

  constructor(rule: BrokenRule, message: string) {
    super(message);
    this.name = 'FetchRefusal';
    this.rule = rule;
  }
}

/**
 * How a request of the guarded client failed. `unsent` means that no connection was made, so the request did not
 * arrive. After `timed-out` and `lost` the request may have arrived.
 */
type FetchFailure = 'refused' | 'too-large' | 'timed-out' | 'unsent' | 'lost';

const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  // The certificate of the server was refused, so nothing was sent.
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The message of such an error can hold anything, so only its kind and its codes are looked at. */
export function fetchFailure(error: unknown): FetchFailure {
  const causes = causesOf(error);
  const refusal = causes.find((cause) => cause instanceof FetchRefusal);
  if (refusal instanceof FetchRefusal) return refusal.rule === 'size' ? 'too-large' : 'refused';
  const codes = causes.map((cause) => ('code' in cause ? String(cause.code) : ''));
  if (codes.some((code) => TIMED_OUT.has(code))) return 'timed-out';
  if (causes.some((cause) => cause.name === 'TimeoutError')) return 'timed-out';
  return codes.some((code) => UNSENT.has(code)) ? 'unsent' : 'lost';
}

/** The error, its cause, the cause of that, and so on. */
export function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  let next = error;
  while (next instanceof Error && causes.length < 8) {
    causes.push(next);
    next = next.cause;
  }
  return causes;
}
