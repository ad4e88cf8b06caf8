import type { Alarm } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import { handClock } from '../../../tests/driver/test-engine.ts';
import { handedAlarms } from './hand-alarms.ts';

function handing() {
  const { clock, move, alarms: timers } = handClock();
  const sent: Alarm[] = [];
  const rung: Alarm[] = [];
  const alarms = handedAlarms({
    clock,
    send: (alarm) => void sent.push(alarm),
    ring: (alarm) => void rung.push(alarm),
  });
  return { alarms, sent, rung, move, timers, after: (ms: number) => clock.now() + ms };
}

it('hands over a deadline that has stood for a second', async () => {
  const { alarms, sent, rung, move, after } = handing();
  const at = after(60_000);
  alarms.set('a', at);
  await move(999);
  expect(sent).toEqual([]);
  await move(1);
  expect(sent).toEqual([{ rootId: 'a', at }]);
  await move(60_000);
  expect([sent.length, rung]).toEqual([1, []]);
});

it('does not hand over a deadline that is gone by then', async () => {
  const { alarms, sent, rung, move, after } = handing();
  alarms.set('a', after(60_000));
  alarms.set('b', after(60_000));
  await move(500);
  alarms.set('a', null);
  await move(60_000);
  expect(sent.map(({ rootId }) => rootId)).toEqual(['b']);
  expect(rung).toEqual([]);
});

it('hands over only the newest deadline of a tree', async () => {
  const { alarms, sent, move, after } = handing();
  alarms.set('a', after(60_000));
  await move(500);
  const at = after(90_000);
  alarms.set('a', at);
  await move(999);
  expect(sent).toEqual([]);
  await move(1);
  expect(sent).toEqual([{ rootId: 'a', at }]);
});

it('rings a near deadline itself, in time', async () => {
  const { alarms, sent, rung, move, after } = handing();
  const at = after(2000);
  alarms.set('a', at);
  await move(1999);
  expect(rung).toEqual([]);
  await move(1);
  expect([sent, rung]).toEqual([[], [{ rootId: 'a', at }]]);
});

it('keeps no timer for what was handed over, and none when it stops', async () => {
  const { alarms, sent, move, timers, after } = handing();
  alarms.set('a', after(60_000));
  await move(1000);
  expect(timers()).toBe(0);
  alarms.set('b', after(60_000));
  alarms.stop();
  expect(timers()).toBe(0);
  await move(2000);
  expect(sent).toHaveLength(1);
});
