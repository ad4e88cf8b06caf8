/**
 * Jobs that wait for the engine, a lane for each tenant. Lanes take turns, so a tenant with ten thousand jobs delays
 * another tenant's job by one job of its own and not by ten thousand. Within a lane, commands and trees take turns:
 * a caller waits for a command, and a tree that goes on for ever must not keep it waiting.
 */
export interface FairQueue<T> {
  readonly size: number;
  add(item: T, lane: string, line: Line): void;
  /** The item that `take` would remove. */
  next(): T | undefined;
  take(): T | undefined;
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

/** First in, first out, without moving the rest on every removal. */
interface Waiting<T> {
  items: T[];
  head: number;
}

export function fairQueue<T>(): FairQueue<T> {
  // In the order in which they have their turn. A lane without items is not in it.
  const lanes = new Map<string, Lane<T>>();
  let size = 0;

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

  function firstLane(): readonly [string, Lane<T>] | undefined {
    return lanes.entries().next().value;
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
      const entry = firstLane();
      const line = entry && lineOfTurn(entry[1]);
      return line?.items[line.head];
    },
    take() {
      const entry = firstLane();
      if (entry === undefined) return undefined;
      const [name, lane] = entry;
      const line = lineOfTurn(lane);
      const item = removeFirst(line);
      lane.treesTurn = line === lane.commands;
      size -= 1;
      lanes.delete(name);
      if (!isEmpty(lane.commands) || !isEmpty(lane.trees)) lanes.set(name, lane);
      return item;
    },
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
