import { StoreUnavailableError } from '@baton/engine/ports';
import type { Dice } from '../../fuzz/random-choice.ts';
import type { Timeline } from '../timeline.ts';

/** The connections of one host to the simulated Postgres. They are lost and found together. */
export interface Connection {
  isOpen(): boolean;
  /** Lost for so many turns. */
  lose(turns: number): void;
  /** Resolves when the connection is open. */
  opened(): Promise<void>;
  /** Does the work if the connection is open. Otherwise it rejects after a while, and a write may have been done. */
  ask<T>(work: () => Promise<T>, isWrite: boolean): Promise<T>;
  onOpened(listener: () => void): void;
}

/** A call without a connection fails after so many turns at most. */
const LONGEST_WAIT = 4;

/** How often the connection of a host breaks while an answer to a write is under way. */
const BREAKS = 0.004;
const LONGEST_BREAK = 20;

/**
 * `breaks` is called when the connection is lost for so many turns, which is not asked for by `lose`. While `holds`
 * says so, this does not happen.
 */
export function connectionOf(
  time: Timeline,
  dice: Dice,
  breaks: (turns: number) => void,
  holds: () => boolean,
): Connection {
  const listeners: (() => void)[] = [];
  let lostUntil = 0;

  function open(): void {
    // The connection may have been lost again meanwhile, for longer.
    if (time.turn >= lostUntil) for (const listener of listeners) listener();
  }

  const turns = (count: number) => new Promise<void>((resolve) => time.after(count, resolve));

  return {
    isOpen: () => time.turn >= lostUntil,
    lose(count) {
      lostUntil = Math.max(lostUntil, time.turn + count);
      time.after(lostUntil - time.turn, open);
    },
    async opened() {
      while (time.turn < lostUntil) await turns(lostUntil - time.turn);
    },
    async ask(work, isWrite) {
      const isOpen = time.turn >= lostUntil;
      if (isOpen && !(isWrite && dice.chance(BREAKS) && !holds())) return work();
      time.moved();
      if (isWrite && (isOpen || dice.chance(0.3))) await work();
      if (isOpen) breaks(dice.between(1, LONGEST_BREAK));
      await turns(dice.between(1, LONGEST_WAIT));
      time.moved();
      throw new StoreUnavailableError();
    },
    onOpened: (listener) => void listeners.push(listener),
  };
}
