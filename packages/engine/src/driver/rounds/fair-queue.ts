import { emptyLine, isEmpty, keepOnly, type Line, putFirst, removeFirst } from './line.ts';
import { usedTime } from './used-time.ts';

/**
 * Jobs that wait for a thread, a lane for each tenant. The lane that has used the least time has its turn, so a tenant
 * with ten thousand jobs, or with expensive ones, delays another tenant's job by one job of its own. A lane that was
 * away does not save up time: it goes on where the others are. Within a lane, commands and trees take turns: a caller
 * waits for a command, and a tree that goes on for ever must not keep it waiting.
 */
export interface FairQueue<T> {
  readonly size: number;
  add(item: T, lane: string, urgency: Urgency): void;
  /** The item that `take` would remove. */
  next(): T | undefined;
  take(): T | undefined;
  /** What a lane has had done took this long. */
  charge(lane: string, ms: number): void;
  /** How long the last item of a lane took, in milliseconds. Below one it counts as nothing. */
  lastTook(lane: string): number;
  /** Removes every item that is not to be kept. */
  keepOnly(kept: (item: T) => boolean): void;
}

/** `urgent` goes before the other commands of its lane. */
type Urgency = 'urgent' | 'command' | 'tree';

interface Lane<T> {
  readonly commands: Line<T>;
  readonly trees: Line<T>;
  /** Whether the last item of this lane was a command, so that it is a tree's turn. */
  treesTurn: boolean;
}

export function fairQueue<T>(): FairQueue<T> {
  // The lane that was served last stands last: among equals it has its turn last. A lane without items is not in it.
  const lanes = new Map<string, Lane<T>>();
  const used = usedTime(() => lanes.size);
  let size = 0;

  function laneOf(name: string): Lane<T> {
    const found = lanes.get(name);
    if (found !== undefined) return found;
    const made: Lane<T> = { commands: emptyLine(), trees: emptyLine(), treesTurn: false };
    lanes.set(name, made);
    return made;
  }

  function laneOfTurn(): readonly [string, Lane<T>] | undefined {
    let least: readonly [string, Lane<T>] | undefined;
    let leastUsed = Number.POSITIVE_INFINITY;
    for (const entry of lanes) {
      const own = used.of(entry[0]);
      if (own >= leastUsed) continue;
      least = entry;
      leastUsed = own;
    }
    return least;
  }

  return {
    get size() {
      return size;
    },
    add(item, name, urgency) {
      const lane = laneOf(name);
      if (urgency === 'tree') lane.trees.items.push(item);
      else if (urgency === 'command') lane.commands.items.push(item);
      else putFirst(lane.commands, item);
      size += 1;
    },
    next() {
      const entry = laneOfTurn();
      const line = entry && lineOfTurn(entry[1]);
      return line?.items[line.head];
    },
    take() {
      const entry = laneOfTurn();
      if (entry === undefined) return undefined;
      const [name, lane] = entry;
      used.serve(name);
      const line = lineOfTurn(lane);
      const item = removeFirst(line);
      lane.treesTurn = line === lane.commands;
      size -= 1;
      lanes.delete(name);
      if (!isEmpty(lane.commands) || !isEmpty(lane.trees)) lanes.set(name, lane);
      return item;
    },
    charge: used.charge,
    lastTook: used.lastTook,
    keepOnly(kept) {
      for (const [name, lane] of [...lanes]) {
        size -= keepOnly(lane.commands, kept) + keepOnly(lane.trees, kept);
        if (isEmpty(lane.commands) && isEmpty(lane.trees)) lanes.delete(name);
      }
    },
  };
}

function lineOfTurn<T>({ commands, trees, treesTurn }: Lane<T>): Line<T> {
  const [first, second] = treesTurn ? [trees, commands] : [commands, trees];
  return isEmpty(first) ? second : first;
}
