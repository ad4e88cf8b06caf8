import { describe, expect, it } from 'vitest';
import { BatonError, ERRORS, type ErrorCode, RUN_ERROR_CODES, runError } from './errors.ts';

const catalogue = Object.entries(ERRORS) as [ErrorCode, (typeof ERRORS)[ErrorCode]][];

describe('the error catalogue', () => {
  it.each(catalogue)(
    '%s has a code, a status and a message a reader can use',
    (code, [status, , message]) => {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
      expect(message).toMatch(/^[A-Z].{15,}\.$/);
    },
  );

  it.each(catalogue)('%s is worth a retry only when waiting can help', (code, [status, retryable]) => {
    // Not retryable: the tenant must first free storage or get a higher limit.
    const isOurs = status >= 500 && code !== 'tenant_storage_full';
    // Waiting helps: the other request ends, or the overlap of the keys does.
    const isPassing = code === 'idempotency_in_flight' || code === 'webhook_key_conflict';
    const waitingHelps = status === 408 || status === 429 || isOurs || isPassing;
    expect(retryable).toBe(waitingHelps);
  });

  it.each(Object.entries(RUN_ERROR_CODES))('%s says what happened to the run', (code, message) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(message).toMatch(/^[A-Z].{10,}\.$/);
  });
});

describe('BatonError', () => {
  it('takes status, retry and message from the catalogue', () => {
    const error = new BatonError('rate_limited');
    expect(error).toMatchObject({ status: 429, retryable: true, message: ERRORS.rate_limited[2] });
  });

  it('becomes a body of error and message, and of details only when there are some', () => {
    expect(new BatonError('not_found', 'No such run.').body()).toStrictEqual({
      error: 'not_found',
      message: 'No such run.',
    });
    expect(new BatonError('run_state_conflict', 'Paused.', { runStatus: 'paused' }).body()).toStrictEqual({
      error: 'run_state_conflict',
      message: 'Paused.',
      details: { runStatus: 'paused' },
    });
  });
});

describe('runError', () => {
  it('falls back to the catalogue for its message', () => {
    expect(runError('run_timeout')).toStrictEqual({
      code: 'run_timeout',
      message: RUN_ERROR_CODES.run_timeout,
    });
  });

  it('carries the thrower’s own words and details', () => {
    expect(runError('child_failed', 'The reader failed.', { childRunId: 'r.1' })).toStrictEqual({
      code: 'child_failed',
      message: 'The reader failed.',
      details: { childRunId: 'r.1' },
    });
  });
});
