import { expect, it } from 'vitest';
import { framesOf } from './frames.ts';

/** A clock that goes on only when it is told to. */
function clock() {
  let time = 0;
  let timers: { at: number; call(): void }[] = [];
  return {
    now: () => time,
    after(ms: number, call: () => void) {
      const timer = { at: time + ms, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    goTo(until: number) {
      for (;;) {
        const next = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timers = timers.filter((one) => one !== next);
        time = next.at;
        next.call();
      }
      time = until;
    },
  };
}

it('draws ten times a second at most, however much changes, and once a second when nothing does', () => {
  const timers = clock();
  const drawn: number[] = [];
  const frames = framesOf(() => drawn.push(timers.now()), { pause: 100, longest: 1000 }, timers);
  for (let time = 0; time <= 300; time += 10) {
    timers.goTo(time);
    frames.changed();
  }
  timers.goTo(2500);
  expect(drawn).toEqual([0, 100, 200, 300, 400, 1400, 2400]);
  frames.stop();
  timers.goTo(9000);
  expect(drawn).toHaveLength(7);
});
