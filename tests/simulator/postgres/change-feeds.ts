import type { Slice, StoreChange } from '@baton/engine/ports';
import type { Dice } from '../../fuzz/random-choice.ts';
import type { Timeline } from '../timeline.ts';

/** What hosts are told of each other: late, out of order, and not at all while the connection of a feed is lost. */
interface ChangeFeeds {
  open(hostNo: number): HostFeed;
}

/** The feed of one host. */
export interface HostFeed {
  listen(listener: (change: StoreChange) => void): () => void;
  /** This host has changed something: it knows at once, the others are told later. */
  changed(change: StoreChange): void;
  /** This host has stored these slices. Only the others are told. */
  moved(slices: readonly Slice[]): void;
  lose(): void;
  /** Tells that changes may have been missed. */
  reopen(): void;
}

const LATEST = 12;

interface Subscriber {
  readonly listeners: Set<(change: StoreChange) => void>;
  isLost: boolean;
}

export function changeFeeds(time: Timeline, dice: Dice): ChangeFeeds {
  const subscribers = new Map<number, Subscriber>();

  function tell({ listeners }: Subscriber, change: StoreChange): void {
    time.moved();
    for (const listener of listeners) listener(change);
  }

  function tellOthers(hostNo: number, change: StoreChange): void {
    for (const [other, subscriber] of subscribers) {
      if (other === hostNo) continue;
      time.after(dice.between(1, LATEST), () => {
        if (!subscriber.isLost) tell(subscriber, change);
      });
    }
  }

  return {
    open(hostNo) {
      const own: Subscriber = { listeners: new Set(), isLost: false };
      subscribers.set(hostNo, own);
      return {
        listen(listener) {
          own.listeners.add(listener);
          return () => void own.listeners.delete(listener);
        },
        changed(change) {
          tell(own, change);
          tellOthers(hostNo, change);
        },
        moved(slices) {
          const runs = slices.flatMap(runsOf);
          if (runs.length > 0) tellOthers(hostNo, { kind: 'moved', runs });
        },
        lose() {
          own.isLost = true;
        },
        reopen() {
          if (own.isLost) tell(own, { kind: 'missed' });
          own.isLost = false;
        },
      };
    },
  };
}

function runsOf({ runs }: Slice) {
  return runs.map(({ runId, expectedHead, events, status }) => ({
    runId,
    lastSequence: expectedHead + events.length - 1,
    status,
  }));
}
