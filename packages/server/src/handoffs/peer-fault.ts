import { TaskNotFoundError } from '@a2a-js/sdk/errors';
import type { EffectOutcome } from '@baton/engine/ports';
import { type RunError, type RunErrorCode, runError } from '@baton/protocol';

/** A request to another host that did not bring an answer. The words of the other host are not repeated. */
export class PeerFault extends Error {
  readonly code: RunErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number;
  /** The other host has certainly not taken the request. */
  readonly refused: boolean;

  constructor(
    code: RunErrorCode,
    how: Partial<Pick<PeerFault, 'message' | 'retryable' | 'retryAfterMs' | 'refused'>>,
  ) {
    super(how.message ?? runError(code).message);
    this.name = 'PeerFault';
    this.code = code;
    this.retryable = how.retryable ?? false;
    this.retryAfterMs = how.retryAfterMs ?? 0;
    this.refused = how.refused ?? false;
  }
}

export function errorOfFault({ code, message }: PeerFault): RunError {
  return { code, message };
}

export function failedBy(fault: PeerFault): EffectOutcome {
  const { retryable, retryAfterMs } = fault;
  return {
    kind: 'failed',
    error: errorOfFault(fault),
    retryable,
    ...(retryAfterMs > 0 && { retryAfterMs }),
  };
}

/** The peer refuses or cannot take the request; the answer has no content for the caller. */
export function faultOfStatus(response: Response): PeerFault | undefined {
  const { status } = response;
  if (status < 400) return undefined;
  if (status === 401 || status === 403) return new PeerFault('peer_unauthorized', { refused: true });
  const retryAfterMs = secondsIn(response.headers.get('retry-after')) * 1000;
  if (status === 429 || status === 503) {
    const message = 'The other host is busy or is starting; it is asked again later.';
    return new PeerFault('peer_unreachable', { message, retryable: true, retryAfterMs, refused: true });
  }
  // Requests that are wrong are answered as JSON-RPC errors, which the client of the protocol reads.
  if (status === 400 || status === 404) return undefined;
  const message = `The other host answered with the status ${status}.`;
  return new PeerFault('peer_unreachable', { message, retryable: status >= 500, retryAfterMs });
}

const LONGEST_PAUSE_S = 3600;

function secondsIn(header: string | null): number {
  const seconds = Number(header ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, LONGEST_PAUSE_S) : 0;
}

/** Codes of errors that come before a connection exists, so nothing was sent. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
]);

export function faultOf(error: unknown): PeerFault {
  const causes = causesOf(error);
  const fault = causes.find((cause) => cause instanceof PeerFault);
  if (fault instanceof PeerFault) return fault;
  if (causes.some((cause) => cause instanceof TaskNotFoundError)) return new PeerFault('remote_run_lost', {});
  const rpc = causes.find((cause) => hasNumber(cause, 'envelopeCode'));
  if (rpc !== undefined) return new PeerFault('peer_rejected', { message: rejection(rpc), refused: true });
  const refused = causes.some((cause) => NOT_CONNECTED.has(String((cause as { code?: unknown }).code)));
  if (isReadingFailure(causes)) return new PeerFault('peer_answer_invalid', {});
  return new PeerFault('peer_unreachable', { retryable: true, refused });
}

/** A JSON-RPC error is text of the other host, so it is bounded. */
function rejection(error: object): string {
  const message = String((error as Error).message).slice(0, 500);
  return `The other host did not accept the request: ${message}`;
}

function hasNumber(value: unknown, name: string): value is object {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'number';
}

/** An answer came, and it is not of the protocol. */
function isReadingFailure(causes: readonly unknown[]): boolean {
  return causes.some(
    (cause) =>
      cause instanceof SyntaxError || (cause instanceof Error && cause.name === 'InvalidAgentResponseError'),
  );
}

function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && cause !== null && causes.length < 10; ) {
    causes.push(cause);
    cause = (cause as { cause?: unknown }).cause;
  }
  return causes;
}
