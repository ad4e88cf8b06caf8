import { causesOf, fetchFailure } from '@baton/agents';
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

/** A request without a complete answer. The client of the protocol sees no other failure of the network. */
export function faultOfNetwork(error: unknown): PeerFault {
  if (error instanceof PeerFault) return error;
  switch (fetchFailure(error)) {
    case 'too-large':
      return new PeerFault('peer_answer_invalid', { message: 'The answer of the other host is too large.' });
    case 'refused':
      return new PeerFault('peer_answer_invalid', {
        message: 'The other host names an address, or redirects to one, that this host does not call.',
      });
    case 'unsent':
      return new PeerFault('peer_unreachable', { retryable: true, refused: true });
    default:
      return new PeerFault('peer_unreachable', { retryable: true });
  }
}

const INTERNAL_ERROR = -32603;

/** The answer was complete, so a failure that is no error of the protocol means that it cannot be read. */
export function faultOf(error: unknown): PeerFault {
  const causes = causesOf(error);
  const fault = causes.find((cause) => cause instanceof PeerFault);
  if (fault instanceof PeerFault) return fault;
  // Errors are told apart by their fields, because the library has several copies of each class.
  const told = causes.find((cause) => 'reason' in cause || 'envelopeCode' in cause);
  const reason: unknown = told && Reflect.get(told, 'reason');
  if (told === undefined || reason === 'INVALID_AGENT_RESPONSE')
    return new PeerFault('peer_answer_invalid', {});
  if (reason === 'TASK_NOT_FOUND') return new PeerFault('remote_run_lost', {});
  if (Reflect.get(told, 'envelopeCode') === INTERNAL_ERROR) {
    const message = 'The other host reports an internal error; it is asked again later.';
    return new PeerFault('peer_unreachable', { message, retryable: true });
  }
  return new PeerFault('peer_rejected', { message: rejection(told), refused: true });
}

/** A JSON-RPC error is text of the other host, so it is bounded. */
function rejection({ message }: Error): string {
  return `The other host did not accept the request: ${message.slice(0, 500)}`;
}
