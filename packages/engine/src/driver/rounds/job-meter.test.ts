import { expect, it } from 'vitest';
import type { Work } from '../../ports/work-in-hand.ts';
import { metersOf } from './job-meter.ts';

const work = (rootId: string): Work => ({ rootId, length: 'step' });

/** A clock that is moved by hand, and a list of what the watchdog was told. */
function metered() {
  let now = 0;
  const told: string[] = [];
  const inHand = {
    take: ({ rootId }: Work) => void told.push(rootId ?? 'new'),
    putDown: () => void told.push('-'),
  };
  let endTurn = () => {};
  const turn = () => new Promise<void>((resolve) => (endTurn = resolve));
  const meters = metersOf(() => now, inHand, turn);
  const nextTurn = async () => {
    endTurn();
    await Promise.resolve();
  };
  return { meters, told, pass: (ms: number) => (now += ms), nextTurn };
}

it('counts the work of a job, and not the time during which it waits', async () => {
  const { meters, pass } = metered();
  const meter = meters.meterOf(work('a'));
  meter.enter();
  pass(3);
  let answer = () => {};
  const waiting = meter.outside(new Promise<void>((resolve) => (answer = resolve)));
  pass(100);
  expect(meter.spent()).toBe(3);
  answer();
  await waiting;
  pass(4);
  expect(meter.spent()).toBe(7);
  meter.leave();
  pass(50);
  expect(meter.spent()).toBe(7);
});

it('goes on counting after the answer that a job waited for was an error', async () => {
  const { meters, pass } = metered();
  const meter = meters.meterOf(work('a'));
  meter.enter();
  await expect(meter.outside(Promise.reject(new Error('no')))).rejects.toThrow('no');
  pass(2);
  expect(meter.spent()).toBe(2);
});

it('tells which tree is worked on, once for each change', async () => {
  const { meters, told } = metered();
  const [a, b] = [meters.meterOf(work('a')), meters.meterOf(work('b'))];
  a.enter();
  await a.outside(Promise.resolve());
  const waiting = a.outside(Promise.resolve());
  b.enter();
  b.leave();
  await waiting;
  a.leave();
  meters.rest();
  meters.rest();
  expect(told).toEqual(['a', 'b', 'a', '-']);
});

it('puts a tree down that waits for longer than a turn, also when it waits again', async () => {
  const { meters, told, nextTurn } = metered();
  const meter = meters.meterOf(work('a'));
  meter.enter();
  for (const answered of [
    ['a', '-'],
    ['a', '-', 'a', '-'],
  ]) {
    let answer = () => {};
    const waiting = meter.outside(new Promise<void>((resolve) => (answer = resolve)));
    await nextTurn();
    expect(told).toEqual(answered);
    answer();
    await waiting;
  }
  meter.leave();
  await nextTurn();
  expect(told).toEqual(['a', '-', 'a', '-', 'a', '-']);
});

it('keeps a tree in hand that works when the turn ends', async () => {
  const { meters, told, nextTurn } = metered();
  const [a, b] = [meters.meterOf(work('a')), meters.meterOf(work('b'))];
  a.enter();
  const waiting = a.outside(new Promise<void>(() => {}));
  b.enter();
  await nextTurn();
  expect(told).toEqual(['a', 'b']);
  void waiting;
});
