import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { connect } from '../connect.ts';

/** A time that nothing else in the process waits for: other files of tests may have timers of their own. */
const ANSWER_MS = 7003;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(globalThis, 'setTimeout');
  vi.spyOn(globalThis, 'clearTimeout');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The timers that were set for answers, and whether each was ended. */
function answerTimers(): readonly boolean[] {
  const { calls, results } = vi.mocked(setTimeout).mock;
  const ended = vi.mocked(clearTimeout).mock.calls.map(([timer]) => timer);
  return calls.flatMap(([, ms], at) => (ms === ANSWER_MS ? [ended.includes(results[at]?.value)] : []));
}

/** A server that accepts requests and answers none. */
function silentHost() {
  let asked = 0;
  const fetch = (_url: string, { signal }: { readonly signal?: AbortSignal | null }): Promise<Response> => {
    asked += 1;
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
  };
  const patience = { tries: 2, answerMs: ANSWER_MS };
  return { baton: connect({ url: 'http://host.example', fetch, patience }), asked: () => asked };
}

it('does not wait for ever for an answer', async () => {
  const { baton, asked } = silentHost();
  const failed = expect(baton.inbox()).rejects.toMatchObject({
    code: 'host_unreachable',
    message: expect.stringContaining('did not answer within 7'),
  });
  await vi.advanceTimersByTimeAsync(30_000);
  await failed;
  expect(asked()).toBe(2);
  expect(answerTimers()).toEqual([true, true]);
});

it('waits for work that takes long, until the caller leaves', async () => {
  const { baton } = silentHost();
  const leave = new AbortController();
  const exporting = baton.run('r').bundle({ signal: leave.signal });
  const failed = expect(exporting).rejects.toThrow('enough');
  await vi.advanceTimersByTimeAsync(600_000);
  leave.abort(new Error('enough'));
  await failed;
  expect(answerTimers()).toEqual([]);
});
