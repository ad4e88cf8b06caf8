import { expect, it } from 'vitest';
import { createFairSchedule } from './fair-schedule.ts';

/** A clock that only work moves, and an event loop that the test drives. */
function byHand() {
  let time = 0;
  let callbacks: (() => void)[] = [];
  const done: string[] = [];
  let timers: { readonly at: number; readonly callback: () => void }[] = [];
  const turns = createFairSchedule({
    now: () => time,
    later: (callback) => void callbacks.push(callback),
    after: (ms, callback) => void timers.push({ at: time + ms, callback }),
  });
  return {
    done,
    ask: (tenant: string, name: string, ms: number) =>
      turns.take(tenant, () => {
        time += ms;
        done.push(name);
      }),
    turn() {
      const due = callbacks;
      callbacks = [];
      for (const callback of due) callback();
    },
    pass(ms: number) {
      time += ms;
      const due = timers.filter(({ at }) => at <= time);
      timers = timers.filter(({ at }) => at > time);
      for (const { callback } of due) callback();
    },
    waits: () => callbacks.length + timers.length,
  };
}

it('does small work at once', () => {
  const { ask, done } = byHand();
  for (let n = 0; n < 5; n += 1) ask('a', `a${n}`, 0.1);
  expect(done).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);
});

it('lets tenants take turns once work takes long', () => {
  const { ask, done, turn, pass } = byHand();
  for (let n = 0; n < 4; n += 1) ask('busy', `busy${n}`, 300);
  ask('quiet', 'quiet', 0.1);
  expect(done).toEqual(['busy0']);
  turn();
  expect(done).toEqual(['busy0', 'quiet']);
  for (let n = 0; n < 3; n += 1) {
    pass(10);
    turn();
    turn();
  }
  expect(done).toEqual(['busy0', 'quiet', 'busy1', 'busy2', 'busy3']);
});

it('does work at once again in the next turn, and then rests', () => {
  const { ask, done, turn, waits } = byHand();
  ask('a', 'first', 300);
  turn();
  ask('b', 'second', 1);
  expect(done).toEqual(['first', 'second']);
  turn();
  expect(waits()).toBe(0);
});

it('goes on with the others when work fails', () => {
  const { ask, done, turn } = byHand();
  ask('a', 'first', 300);
  const turns = createFairSchedule({ now: () => 0, later: () => undefined, after: () => undefined });
  expect(() =>
    turns.take('a', () => {
      throw new Error('broken');
    }),
  ).toThrow('broken');
  ask('b', 'second', 1);
  turn();
  expect(done).toEqual(['first', 'second']);
});

it('pauses after work that takes long, so that others come and go meanwhile', () => {
  const { ask, done, turn, pass } = byHand();
  for (const name of ['busy0', 'busy1', 'busy2']) ask('busy', name, 300);
  turn();
  expect(done).toEqual(['busy0']);
  ask('quiet', 'quiet', 0.1);
  turn();
  expect(done).toEqual(['busy0', 'quiet']);
  pass(10);
  ask('quiet', 'again', 0.1);
  turn();
  turn();
  expect(done).toEqual(['busy0', 'quiet', 'again', 'busy1']);
  turn();
  pass(10);
  turn();
  expect(done).toEqual(['busy0', 'quiet', 'again', 'busy1', 'busy2']);
});
