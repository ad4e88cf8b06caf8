/**
 * Stops calls to a provider that fails. After several faults in a row the breaker is open: calls are refused
 * for a while. Then one call is let through as a probe, and its outcome closes the breaker or opens it again.
 */
interface CircuitBreaker {
  /** How long calls are refused from now on. `undefined` when a call may be made. */
  refusedForMs(): number | undefined;
  /** Must be called before a call, and the outcome reported. */
  admit(): Admission;
  state(): BreakerState;
}

type Admission =
  | { readonly admitted: true; readonly report: (outcome: CallOutcome) => void }
  | { readonly admitted: false; readonly retryAfterMs: number };

/** `neither` says nothing about the provider, for example a call that was aborted. */
export type CallOutcome = 'works' | 'fails' | 'neither';

export interface BreakerState {
  readonly state: 'closed' | 'open' | 'half-open';
  readonly faultsInARow: number;
}

interface BreakerOptions {
  readonly opensAfter: number;
  readonly openMs: number;
  now(): number;
}

const MIN_WAIT_MS = 1000;

export function circuitBreaker({ opensAfter, openMs, now }: BreakerOptions): CircuitBreaker {
  let faultsInARow = 0;
  let openUntil: number | undefined;
  let probing = false;

  function reported(outcome: CallOutcome): void {
    if (outcome === 'works') {
      faultsInARow = 0;
      openUntil = undefined;
    } else if (outcome === 'fails') {
      faultsInARow += 1;
      if (faultsInARow >= opensAfter) openUntil = now() + openMs;
    }
  }

  function refusedForMs(): number | undefined {
    if (openUntil === undefined) return undefined;
    const left = openUntil - now();
    // While a probe is under way, its end is not known.
    return left > 0 || probing ? Math.max(left, MIN_WAIT_MS) : undefined;
  }

  return {
    refusedForMs,
    admit() {
      const retryAfterMs = refusedForMs();
      if (retryAfterMs !== undefined) return { admitted: false, retryAfterMs };
      const isProbe = openUntil !== undefined;
      if (isProbe) probing = true;
      let isReported = false;
      return {
        admitted: true,
        report(outcome) {
          if (isReported) return;
          isReported = true;
          if (isProbe) probing = false;
          reported(outcome);
        },
      };
    },
    state: () => ({
      state: openUntil === undefined ? 'closed' : now() < openUntil ? 'open' : 'half-open',
      faultsInARow,
    }),
  };
}
