/**
 * Jobs that wait for a thread, a lane for each tenant. The lane that has used the least time has its turn, so a tenant
 * with ten thousand jobs, or with expensive ones, delays another tenant's job by one job of its own. A lane that was
 * away does not save up time: it goes on where the others are. Within a lane, commands and trees take turns: a caller
 * waits for a command, and a tree that goes on for ever must not keep it waiting.
 */
export interface FairQueue<T> {
  readonly size: number;
  add(item: T, lane: string, line: Line): void;
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
export type Line = 'urgent' | 'command' | 'tree';

interface Lane<T> {
  readonly commands: Waiting<T>;
  readonly trees: Waiting<T>;
  /** Whether the last item of this lane was a command, so that it is a tree's turn. */
  treesTurn: boolean;
}

/** So many lanes are remembered that have used more than the others and have nothing waiting. */
const MOST_AHEAD = 10_000;

/** First in, first out, without moving the rest on every removal. */
interface Waiting<T> {
  items: T[];
  head: number;
}

export function fairQueue<T>(): FairQueue<T> {
  // The lane that was served last stands last: among equals it has its turn last. A lane without items is not in it.
  const lanes = new Map<string, Lane<T>>();
  /** The time that lanes have used, as far as it is more than `reached`. */
  const used = new Map<string, number>();
  /** What the last item took, of lanes whose last item took a millisecond or more. */
  const took = new Map<string, number>();
  /** What the lane that was served last had used: no lane that waits has used less. */
  let reached = 0;
  let size = 0;

  const usedBy = (name: string) => Math.max(used.get(name) ?? 0, reached);

  function laneOf(name: string): Lane<T> {
    const found = lanes.get(name);
    if (found !== undefined) return found;
    const made: Lane<T> = {
      commands: { items: [], head: 0 },
      trees: { items: [], head: 0 },
      treesTurn: false,
    };
    lanes.set(name, made);
    return made;
  }

  function lineOfTurn({ commands, trees, treesTurn }: Lane<T>): Waiting<T> {
    const [first, second] = treesTurn ? [trees, commands] : [commands, trees];
    return isEmpty(first) ? second : first;
  }

  function laneOfTurn(): readonly [string, Lane<T>] | undefined {
    let least: readonly [string, Lane<T>] | undefined;
    let leastUsed = Number.POSITIVE_INFINITY;
    for (const entry of lanes) {
      const own = usedBy(entry[0]);
      if (own >= leastUsed) continue;
      least = entry;
      leastUsed = own;
    }
    return least;
  }

  function forgetOvertaken(): void {
    for (const [name, own] of used) if (own <= reached) used.delete(name);
    if (used.size > MOST_AHEAD) used.clear();
    for (const name of took.keys()) if (!used.has(name)) took.delete(name);
  }

  return {
    get size() {
      return size;
    },
    add(item, name, line) {
      const lane = laneOf(name);
      if (line === 'tree') lane.trees.items.push(item);
      else if (line === 'command') lane.commands.items.push(item);
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
      reached = usedBy(name);
      const line = lineOfTurn(lane);
      const item = removeFirst(line);
      lane.treesTurn = line === lane.commands;
      size -= 1;
      lanes.delete(name);
      if (!isEmpty(lane.commands) || !isEmpty(lane.trees)) lanes.set(name, lane);
      return item;
    },
    charge(name, ms) {
      used.set(name, usedBy(name) + ms);
      if (ms >= 1) took.set(name, ms);
      else if (took.size > 0) took.delete(name);
      if (used.size > lanes.size + MOST_AHEAD / 10) forgetOvertaken();
    },
    lastTook: (name) => took.get(name) ?? 0,
    keepOnly(kept) {
      for (const [name, lane] of [...lanes]) {
        for (const line of [lane.commands, lane.trees]) {
          const rest = line.items.slice(line.head).filter(kept);
          size -= line.items.length - line.head - rest.length;
          line.items = rest;
          line.head = 0;
        }
        if (isEmpty(lane.commands) && isEmpty(lane.trees)) lanes.delete(name);
      }
    },
  };
}

function isEmpty<T>({ items, head }: Waiting<T>): boolean {
  return head >= items.length;
}

function putFirst<T>(line: Waiting<T>, item: T): void {
  if (line.head === 0) line.items.unshift(item);
  else {
    line.head -= 1;
    line.items[line.head] = item;
  }
}

/** Removed items are let go of in one piece, once they are half of the line. */
const LET_GO_AT = 64;

function removeFirst<T>(line: Waiting<T>): T | undefined {
  const item = line.items[line.head];
  line.head += 1;
  if (line.head >= LET_GO_AT && line.head * 2 >= line.items.length) {
    line.items.splice(0, line.head);
    line.head = 0;
  }
  return item;
}
