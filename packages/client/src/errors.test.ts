import type { ERRORS } from '@baton/protocol';
import { expect, expectTypeOf, it } from 'vitest';
import { BatonError, type BatonErrorCode } from './errors.ts';

it('has the codes of the catalogue and of the client as literal types', () => {
  const error = new BatonError('run_failed', 'Run r failed.', { runError: { code: 'x', message: 'y' } });
  expectTypeOf<keyof typeof ERRORS>().toExtend<BatonErrorCode>();
  // @ts-expect-error: there is no such code, so the comparison is a mistake.
  expect(error.code === 'run_fialed').toBe(false);
  expect(error).toMatchObject({ name: 'BatonError', retryable: false, status: undefined });
  expect(error.cause).toBeUndefined();
});
