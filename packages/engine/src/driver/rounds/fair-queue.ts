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

/** First in, first out, without moving the rest on every removal. */
interface Line<T> {
  items: T[];
  head: number;
}

function emptyLine<T>(): Line<T> {
  return { items: [], head: 0 };
}

function isEmpty<T>({ items, head }: Line<T>): boolean {
  return head >= items.length;
}

function putFirst<T>(line: Line<T>, item: T): void {
  if (line.head === 0) line.items.unshift(item);
  else {
    line.head -= 1;
    line.items[line.head] = item;
  }
}

/** Removed items are let go of in one piece, once they are half of the line. */
const LET_GO_AT = 64;

function removeFirst<T>(line: Line<T>): T | undefined {
  const item = line.items[line.head];
  line.head += 1;
  if (line.head >= LET_GO_AT && line.head * 2 >= line.items.length) {
    line.items.splice(0, line.head);
    line.head = 0;
  }
  return item;
}

/** Removes every item that is not to be kept, and returns how many those were. */
function keepOnly<T>(line: Line<T>, kept: (item: T) => boolean): number {
  const before = line.items.length - line.head;
  line.items = line.items.slice(line.head).filter(kept);
  line.head = 0;
  return before - line.items.length;
}

/**
 * How much time each lane has used. A lane that was away does not save up time: it goes on where the others
 * are.
 */
interface UsedTime {
  of(lane: string): number;
  /** The lane is served: no lane that waits has used less time. */
  serve(lane: string): void;
  charge(lane: string, ms: number): void;
  /** How long the last item of a lane took, in milliseconds. Below one it counts as nothing. */
  lastTook(lane: string): number;
}

/** So many lanes are remembered that have used more than the others and have nothing waiting. */
const MOST_AHEAD = 10_000;

/** `waiting` is the number of lanes with items. */
function usedTime(waiting: () => number): UsedTime {
  /** The time that lanes have used, as far as it is more than `reached`. */
  const used = new Map<string, number>();
  /** How long the last item took, of lanes whose last item took a millisecond or more. */
  const took = new Map<string, number>();
  /** The time that the lane which was served last had used. */
  let reached = 0;

  const of = (lane: string) => Math.max(used.get(lane) ?? 0, reached);

  function forgetOvertaken(): void {
    for (const [lane, own] of used) if (own <= reached) used.delete(lane);
    if (used.size > MOST_AHEAD) used.clear();
    for (const lane of took.keys()) if (!used.has(lane)) took.delete(lane);
  }

  return {
    of,
    serve(lane) {
      reached = of(lane);
    },
    charge(lane, ms) {
      used.set(lane, of(lane) + ms);
      if (ms >= 1) took.set(lane, ms);
      else if (took.size > 0) took.delete(lane);
      if (used.size > waiting() + MOST_AHEAD / 10) forgetOvertaken();
    },
    lastTook: (lane) => took.get(lane) ?? 0,
  };
}
