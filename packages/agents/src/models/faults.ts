import type { ModelAnswer } from '@baton/engine/ports';
import { type RunErrorCode, runError } from '@baton/protocol';

/** The faults of a model call. Their messages are our own; nothing that a vendor wrote is in them. */

export type Fault = Extract<ModelAnswer, { kind: 'error' }>;

const RETRYABLE = {
  provider_error: true,
  provider_busy: true,
  provider_interrupted: true,
  provider_timeout: true,
  provider_unavailable: true,
  provider_unauthorized: false,
  provider_key_missing: false,
  provider_rejected: false,
  input_invalid: false,
} as const satisfies Partial<Record<RunErrorCode, boolean>>;

type FaultCode = keyof typeof RETRYABLE;

/** Which provider and model had the fault. */
export interface Asked {
  readonly provider: string;
  readonly model: string;
}

interface More {
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly message?: string;
}

export function fault(code: FaultCode, { provider, model }: Asked, more: More = {}): Fault {
  const { status, retryAfterMs, message } = more;
  return {
    kind: 'error',
    error: runError(code, message, { provider, model, ...(status !== undefined && { status }) }),
    retryable: RETRYABLE[code],
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

const BUSY = new Set([429, 503, 529]);
const AGAIN = new Set([408, 409, 425]);

export function codeOfStatus(status: number): FaultCode {
  if (BUSY.has(status)) return 'provider_busy';
  if (status === 401 || status === 403) return 'provider_unauthorized';
  return status >= 500 || AGAIN.has(status) ? 'provider_error' : 'provider_rejected';
}
