import { describe, expect, it } from 'vitest';
import { type CallOutcome, circuitBreaker } from './circuit-breaker.ts';

function breaker() {
  let at = 0;
  const made = circuitBreaker({ opensAfter: 3, openMs: 30_000, now: () => at });
  return {
    ...made,
    pass: (ms: number) => {
      at += ms;
    },
    call(outcome: CallOutcome) {
      const admission = made.admit();
      if (admission.admitted) admission.report(outcome);
      return admission;
    },
  };
}

describe('a circuit breaker', () => {
  it('opens after faults in a row, and says how long', () => {
    const { call, state } = breaker();
    call('fails');
    call('fails');
    expect(state()).toEqual({ state: 'closed', faultsInARow: 2 });
    call('fails');
    expect(state()).toEqual({ state: 'open', faultsInARow: 3 });
    expect(call('works')).toEqual({ admitted: false, retryAfterMs: 30_000 });
  });

  it('counts from the beginning after a call that worked, and not for one that says nothing', () => {
    const { call, state } = breaker();
    for (const outcome of ['fails', 'fails', 'works', 'fails', 'neither', 'fails'] as const) call(outcome);
    expect(state()).toEqual({ state: 'closed', faultsInARow: 2 });
  });

  it('lets one call through when its time is over', () => {
    const { call, admit, pass, state } = breaker();
    for (let at = 0; at < 3; at += 1) call('fails');
    pass(30_000);
    expect(state().state).toBe('half-open');
    const probe = admit();
    expect(probe.admitted).toBe(true);
    expect(admit()).toEqual({ admitted: false, retryAfterMs: 1000 });
    if (probe.admitted) probe.report('works');
    expect(state()).toEqual({ state: 'closed', faultsInARow: 0 });
    expect(admit().admitted).toBe(true);
  });

  it('is open again when the probe fails', () => {
    const { call, pass, refusedForMs } = breaker();
    for (let at = 0; at < 3; at += 1) call('fails');
    pass(30_000);
    call('fails');
    expect(refusedForMs()).toBe(30_000);
  });

  it('lets another call through when the probe says nothing', () => {
    const { call, pass } = breaker();
    for (let at = 0; at < 3; at += 1) call('fails');
    pass(30_000);
    call('neither');
    expect(call('works').admitted).toBe(true);
  });

  it('hears of a call once', () => {
    const { admit, state } = breaker();
    const admission = admit();
    if (admission.admitted) {
      admission.report('fails');
      admission.report('fails');
    }
    expect(state().faultsInARow).toBe(1);
  });
});
