import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { dropRest } from './errors.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const turn = () => new Promise(setImmediate);

function dropped(complete = false) {
  const body = Object.assign(new PassThrough({ highWaterMark: 128 * 1024 * 1024 }), { complete });
  const done = vi.fn();
  dropRest(body as unknown as IncomingMessage, done);
  return { body, done };
}

it('calls back after the end of the body, once', async () => {
  const { body, done } = dropped();
  body.write('some');
  await turn();
  expect(done).not.toHaveBeenCalled();
  body.end('more');
  await turn();
  vi.advanceTimersByTime(10_000);
  body.destroy();
  await turn();
  expect(done).toHaveBeenCalledOnce();
});

it('calls back at once for a body that has arrived', () => {
  expect(dropped(true).done).toHaveBeenCalledOnce();
});

it('reads no more than 64 MiB, and waits no longer than two seconds', async () => {
  const large = dropped();
  const part = Buffer.alloc(16 * 1024 * 1024);
  for (let n = 0; n < 4; n += 1) large.body.write(part);
  await turn();
  expect(large.done).not.toHaveBeenCalled();
  large.body.write('x');
  await turn();
  expect(large.done).toHaveBeenCalledOnce();
  expect(large.body.isPaused()).toBe(true);

  const slow = dropped();
  vi.advanceTimersByTime(1_999);
  expect(slow.done).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(slow.done).toHaveBeenCalledOnce();
});

it('calls back when the client leaves', async () => {
  const { body, done } = dropped();
  body.destroy();
  await turn();
  expect(done).toHaveBeenCalledOnce();
});
