import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { spaced } from './spaced.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('calls at once, and once more for all calls of the while', () => {
  const action = vi.fn();
  const call = spaced(action, 1_000);
  call();
  call();
  call();
  expect(action).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1_000);
  expect(action).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(10_000);
  expect(action).toHaveBeenCalledTimes(2);
  call();
  expect(action).toHaveBeenCalledTimes(3);
});
