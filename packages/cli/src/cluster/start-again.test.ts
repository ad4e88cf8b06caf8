import { expect, it } from 'vitest';
import { startAgain } from './start-again.ts';

function starting(outcomes: ('ok' | 'fails')[]) {
  const started: number[] = [];
  const told: unknown[] = [];
  const timers: { readonly ms: number; readonly callback: () => void; cancelled: boolean }[] = [];
  const again = startAgain({
    async start(port) {
      started.push(port);
      if (outcomes.shift() === 'fails') throw new Error('the port is taken');
    },
    out: { give: (_value, text) => void told.push(text), note: (text) => void told.push(text) },
    later(ms, callback) {
      const timer = { ms, callback, cancelled: false };
      timers.push(timer);
      return () => {
        timer.cancelled = true;
      };
    },
  });
  const ring = async () => {
    const timer = timers.at(-1);
    if (timer && !timer.cancelled) timer.callback();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { again, started, told, timers, ring };
}

it('starts a host again that ended by itself, and tells it', async () => {
  const { again, started, told, timers, ring } = starting(['ok']);
  again.ended(4748);
  expect(started).toEqual([]);
  await ring();
  expect([started, told]).toEqual([[4748], ['Port 4748 is back.']]);
  expect(timers).toHaveLength(1);
});

it('tries later and later while the host does not start, and says why', async () => {
  const { again, told, timers, ring } = starting(['fails', 'fails', 'ok']);
  again.ended(4748);
  for (let n = 0; n < 3; n += 1) await ring();
  expect(timers.map(({ ms }) => ms)).toEqual([1000, 2000, 4000]);
  expect(told).toEqual(['the port is taken', 'the port is taken', 'Port 4748 is back.']);
});

it('starts nothing once the cluster stops', async () => {
  const { again, started, timers, ring } = starting(['fails']);
  again.ended(4748);
  await again.stop();
  await ring();
  again.ended(4749);
  expect([started, timers.length]).toEqual([[], 1]);
});
