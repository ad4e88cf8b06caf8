import { setImmediate } from 'node:timers/promises';
import type { Effects } from '@baton/engine/ports';

/** Turns of the event loop without anything new, after which nothing more will happen by itself. */
const QUIET_TURNS = 3;

/** Knows what goes on in a host: stored events, and effects that are performed. */
export interface Activity {
  /** Something was stored. */
  happened(): void;
  /** One effect waits for the simulated clock, until the returned function is called. */
  asleep(): () => void;
  /** The same effects, which are counted while they are performed. */
  watched(effects: Effects): Effects;
  /** Resolves when only the clock or a command can make something happen. */
  untilQuiet(idle: () => Promise<void>): Promise<void>;
}

export function activityOf(): Activity {
  let count = 0;
  let performing = 0;
  let sleeping = 0;
  let changed: () => void = () => undefined;

  function note(): void {
    count += 1;
    changed();
  }

  return {
    happened: note,
    asleep() {
      let isAsleep = true;
      sleeping += 1;
      note();
      return () => {
        if (!isAsleep) return;
        isAsleep = false;
        sleeping -= 1;
        note();
      };
    },
    watched: (effects) => ({
      perform(effect, context) {
        performing += 1;
        note();
        let isOver = false;
        const over = () => {
          if (!isOver) performing -= 1;
          isOver = true;
          note();
        };
        // The outcome of an aborted effect is not awaited any more.
        context.signal.addEventListener('abort', over, { once: true });
        const outcome = effects.perform(effect, context);
        outcome.then(over, over);
        return outcome;
      },
    }),
    async untilQuiet(idle) {
      for (let quiet = 0; quiet < QUIET_TURNS; ) {
        const before = count;
        await setImmediate();
        await idle();
        if (performing > sleeping && count === before) {
          await new Promise<void>((resolve) => {
            changed = resolve;
          });
          quiet = 0;
        } else quiet = count === before ? quiet + 1 : 0;
      }
    },
  };
}
