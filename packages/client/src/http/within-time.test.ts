import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { connect } from '../connect.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A server that accepts requests and answers none. */
function silentHost() {
  let asked = 0;
  const fetch = (_url: string, { signal }: { readonly signal?: AbortSignal | null }): Promise<Response> => {
    asked += 1;
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
  };
  const patience = { tries: 2, answerMs: 1000 };
  return { baton: connect({ url: 'http://host.example', fetch, patience }), asked: () => asked };
}

it('does not wait for ever for an answer', async () => {
  const { baton, asked } = silentHost();
  const failed = expect(baton.inbox()).rejects.toMatchObject({
    code: 'host_unreachable',
    message: expect.stringContaining('did not answer within 1 seconds'),
  });
  await vi.advanceTimersByTimeAsync(5000);
  await failed;
  expect(asked()).toBe(2);
  expect(vi.getTimerCount()).toBe(0);
});

it('waits for work that takes long, until the caller leaves', async () => {
  const { baton } = silentHost();
  const leave = new AbortController();
  const exporting = baton.run('r').bundle({ signal: leave.signal });
  const failed = expect(exporting).rejects.toThrow('enough');
  await vi.advanceTimersByTimeAsync(600_000);
  leave.abort(new Error('enough'));
  await failed;
  expect(vi.getTimerCount()).toBe(0);
});
