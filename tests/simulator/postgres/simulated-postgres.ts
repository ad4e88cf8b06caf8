import type { Clock, Ownership, Store } from '@baton/engine';
import { type Dice, diceOf, seedOf } from '../../fuzz/random-choice.ts';
import type { Trouble } from '../hostile-store.ts';
import type { Storage } from '../storage.ts';
import type { Timeline } from '../timeline.ts';
import { changeFeeds } from './change-feeds.ts';
import { connectionOf } from './connection.ts';
import { correctedClock, wrongClock } from './corrected-clock.ts';
import { hostTable, LEASE_MS } from './host-table.ts';
import { keepersOf } from './kept-trees.ts';
import { postgresView, type ViewOptions } from './postgres-view.ts';

/**
 * A database that several hosts share, by the rules of a Postgres store: it knows the hosts that are at work and the
 * keeper of each tree, and tells hosts of each other. What it stores is in the SQLite database in memory.
 */
export interface SimulatedPostgres {
  /** A host begins. Each life of a host is a host of its own. */
  join(host: Joining): Member;
  isAtWork(hostNo: number): boolean;
  /** The host at work that keeps the tree. */
  keeperOf(rootId: string): number | undefined;
  /** From now on no connection breaks by itself. */
  holdConnections(): void;
  /** All connections are lost at once. */
  restart(dice: Dice): void;
}

interface Joining extends Pick<ViewOptions, 'onCommit' | 'onWrite'> {
  readonly trouble: Trouble;
  readonly clock: Clock;
  readonly dice: Dice;
  /** Another host is gone, or this host looks in any case. */
  readonly onHostGone: () => void;
  /** With each tick the host looks for what others have left, and not only when it knows of one that is gone. */
  readonly alwaysLooks?: boolean;
  /** Others have taken over the work of this host. */
  readonly onLost: () => void;
}

/** The place of one life among the hosts. */
export interface Member {
  readonly hostNo: number;
  readonly store: Store;
  readonly clock: Clock;
  readonly ownership: Ownership;
  /** Nothing of the database is reached or heard for so many turns. */
  lose(turns: number): void;
  isConnected(): boolean;
  /** How often the connection was lost. */
  losses(): number;
  /** When it was lost last. */
  lostAt(): number;
  /** Only the feed of changes is lost for so many turns. */
  loseFeed(turns: number): void;
  /** Looks at the other hosts so many turns from now. */
  tickAfter(turns: number): void;
  /** The process has died: its row stays. */
  die(): void;
  /** The process has ended in order. */
  leave(): void;
}

/** Hosts measure the clock of the database with an error of so much at most. */
export const CLOCK_ERROR_MS = 10;
const WRONG_BY_MS = 30_000;
const LATEST_TICK = 4;

export function simulatedPostgres(time: Timeline, storage: Storage, seed: number): SimulatedPostgres {
  const dice = diceOf(seedOf(seed, 0x9057));
  const hosts = hostTable();
  const keepers = keepersOf(hosts);
  const feeds = changeFeeds(time, dice);
  const inOrder = oneAfterTheOther();
  let connectionsHold = false;
  const members = new Set<{ show(): void; readonly member: Member }>();

  time.onMove(() => {
    // Hosts tick all the time, so all that can have ticked before one of them looks for silent hosts.
    for (const { show } of members) show();
    for (const { member } of members) member.tickAfter(dice.between(1, LATEST_TICK));
  });

  function join(joining: Joining): Member {
    const { trouble } = joining;
    const hostNo = hosts.join(time.now());
    const wrongBy = joining.dice.between(-WRONG_BY_MS, WRONG_BY_MS);
    const corrected = correctedClock(wrongClock(joining.clock, wrongBy));
    const breaks = (turns: number) => member.lose(turns);
    const connection = connectionOf(time, joining.dice, breaks, () => connectionsHold);
    const feed = feeds.open(hostNo);
    let known: readonly number[] = [];
    let peaceUntil = 0;
    let losses = 0;
    let lostAt = Number.NEGATIVE_INFINITY;

    const canTick = () => !trouble.dead && trouble.frozenUntil <= time.turn && connection.isOpen();

    function look(): void {
      const hasBuried = time.now() >= peaceUntil && hosts.bury(hostNo, time.now());
      const before = known;
      known = hosts.list();
      corrected.measured(joining.dice.between(-CLOCK_ERROR_MS, CLOCK_ERROR_MS) - wrongBy);
      const isGone = hasBuried || before.some((other) => !known.includes(other));
      if (isGone || joining.alwaysLooks === true) joining.onHostGone();
    }

    function tick(): void {
      if (!canTick()) return;
      time.moved();
      if (hosts.seen(hostNo, time.now())) look();
      else joining.onLost();
    }

    connection.onOpened(() => {
      if (trouble.dead) return;
      hosts.setSession(hostNo, true);
      peaceUntil = time.now() + LEASE_MS;
      feed.reopen();
      member.tickAfter(joining.dice.between(1, LATEST_TICK));
    });

    const member: Member = {
      hostNo,
      clock: corrected.clock,
      ownership: { owner: String(hostNo), alive: () => known.map(String) },
      store: postgresView({ ...joining, hostNo, storage, hosts, keepers, connection, feed, inOrder }),
      isConnected: connection.isOpen,
      losses: () => losses,
      lostAt: () => lostAt,
      lose(turns) {
        losses += 1;
        lostAt = time.now();
        feed.lose();
        hosts.setSession(hostNo, false);
        connection.lose(turns);
      },
      loseFeed(turns) {
        feed.lose();
        time.after(turns, () => connection.isOpen() && feed.reopen());
      },
      tickAfter: (turns) => time.after(turns, tick),
      die() {
        hosts.setSession(hostNo, false);
        members.delete(entry);
      },
      leave() {
        hosts.leave(hostNo);
        members.delete(entry);
      },
    };
    const entry = { member, show: () => void (canTick() && hosts.seen(hostNo, time.now())) };
    members.add(entry);
    look();
    return member;
  }

  return {
    join,
    isAtWork: hosts.isAtWork,
    keeperOf(rootId) {
      const keeper = keepers.of(rootId);
      return keeper !== undefined && hosts.isAtWork(keeper) ? keeper : undefined;
    },
    holdConnections() {
      connectionsHold = true;
    },
    restart(given) {
      hosts.restart(time.now());
      for (const { member } of members) member.lose(given.between(2, 40));
    },
  };
}

function oneAfterTheOther(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
