import type { Clock } from '@baton/engine';

/**
 * Virtual time. Everything that happens has a turn, and things of one turn happen in the order in which they
 * were put there. The clock stands still between two moves. Nothing waits for the machine, so a simulation
 * depends on its plan alone.
 */
export interface Timeline {
  readonly turn: number;
  now(): number;
  /** Does this so many turns later. */
  after(turns: number, act: () => void): void;
  /** Must be called when something has happened, because more may follow from it. */
  moved(): void;
  /** A clock for one process. After `drop`, its alarms never ring. */
  newClock(): { readonly clock: Clock; drop(): void };
  /** The earliest alarm of all clocks. */
  nextAlarm(): number | undefined;
  /** Moves the clock, and rings the alarms that are due. */
  moveTo(time: number): void;
  /** Called after each move of the clock, before the alarms ring. */
  onMove(listener: () => void): void;
  /** Until nothing is planned and nothing moves. Rejects when there is no end to it. */
  settle(): Promise<void>;
}

/** The driver may need so many turns of the event loop before it asks the store for something. */
const QUIET_TURNS = 5;
/** A simulation takes a few hundred turns. */
const MOST_TURNS = 3000;
const START = Date.UTC(2026, 0, 1);

interface Alarm {
  readonly time: number;
  readonly ring: () => void;
}

export function timelineOf(): Timeline {
  const planned = new Map<number, (() => void)[]>();
  const alarms = new Set<Alarm>();
  const moves: (() => void)[] = [];
  let turn = 0;
  let now = START;
  let quiet = 0;

  const nextTurn = () => Math.min(...planned.keys());

  function happen(): void {
    for (const act of planned.get(turn) ?? []) act();
    planned.delete(turn);
  }

  return {
    get turn() {
      return turn;
    },
    now: () => now,
    after(turns, act) {
      const at = turn + Math.max(turns, 1);
      planned.set(at, [...(planned.get(at) ?? []), act]);
    },
    moved() {
      quiet = 0;
    },
    newClock() {
      const own = new Set<Alarm>();
      const clock: Clock = {
        now: () => now,
        at(time, ring) {
          const alarm = { time, ring };
          own.add(alarm);
          alarms.add(alarm);
          return () => {
            own.delete(alarm);
            alarms.delete(alarm);
          };
        },
      };
      const drop = () => {
        for (const alarm of own) alarms.delete(alarm);
      };
      return { clock, drop };
    },
    nextAlarm: () => (alarms.size === 0 ? undefined : Math.min(...[...alarms].map(({ time }) => time))),
    moveTo(time) {
      now = Math.max(now, time);
      quiet = 0;
      for (const listener of moves) listener();
      for (const alarm of [...alarms].filter((one) => one.time <= now)) {
        if (alarms.delete(alarm)) alarm.ring();
      }
    },
    onMove: (listener) => void moves.push(listener),
    async settle() {
      quiet = 0;
      for (const end = turn + MOST_TURNS; quiet < QUIET_TURNS || planned.size > 0; ) {
        await new Promise((resolve) => setImmediate(resolve));
        quiet += 1;
        turn = quiet >= QUIET_TURNS && planned.size > 0 ? Math.max(turn + 1, nextTurn()) : turn + 1;
        if (planned.has(turn)) quiet = 0;
        happen();
        if (turn > end) throw new Error('the hosts do not come to rest');
      }
    },
  };
}
