import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { stopOnSignal } from './stop-signals.ts';

function setUp(stop: () => Promise<void>) {
  const exit = vi.fn();
  const signals = Object.assign(new EventEmitter(), { exit });
  const clock = { now: 0 };
  const said: string[] = [];
  const stopped = stopOnSignal(
    stop,
    signals,
    () => clock.now,
    (text) => said.push(text),
  );
  return { signals, exit, clock, said, stopped };
}

const never = () => new Promise<void>(() => {});

describe('stopOnSignal', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('stops gracefully at %s', async (signal) => {
    const stop = vi.fn(async () => {});
    const { signals, exit, said, stopped } = setUp(stop);
    signals.emit(signal);
    await stopped;
    expect(stop).toHaveBeenCalledOnce();
    expect(exit).not.toHaveBeenCalled();
    expect(said).toHaveLength(1);
  });

  it('gives up at the second signal', () => {
    const { signals, exit, clock } = setUp(never);
    signals.emit('SIGTERM');
    clock.now = 2000;
    signals.emit('SIGINT');
    expect(exit).toHaveBeenCalledExactlyOnceWith(130);
  });

  it('takes the echo of the first signal for what it is', () => {
    const { signals, exit, clock } = setUp(never);
    signals.emit('SIGINT');
    clock.now = 20;
    signals.emit('SIGINT');
    expect(exit).not.toHaveBeenCalled();
  });

  it('tells when stopping failed', async () => {
    const { signals, stopped } = setUp(() => Promise.reject(new Error('disk gone')));
    signals.emit('SIGTERM');
    await expect(stopped).rejects.toThrow('disk gone');
  });
});
