/** First in, first out, without moving the rest on every removal. */
export interface Line<T> {
  items: T[];
  head: number;
}

export function emptyLine<T>(): Line<T> {
  return { items: [], head: 0 };
}

export function isEmpty<T>({ items, head }: Line<T>): boolean {
  return head >= items.length;
}

export function putFirst<T>(line: Line<T>, item: T): void {
  if (line.head === 0) line.items.unshift(item);
  else {
    line.head -= 1;
    line.items[line.head] = item;
  }
}

/** Removed items are let go of in one piece, once they are half of the line. */
const LET_GO_AT = 64;

export function removeFirst<T>(line: Line<T>): T | undefined {
  const item = line.items[line.head];
  line.head += 1;
  if (line.head >= LET_GO_AT && line.head * 2 >= line.items.length) {
    line.items.splice(0, line.head);
    line.head = 0;
  }
  return item;
}

/** Removes every item that is not to be kept, and returns how many those were. */
export function keepOnly<T>(line: Line<T>, kept: (item: T) => boolean): number {
  const before = line.items.length - line.head;
  line.items = line.items.slice(line.head).filter(kept);
  line.head = 0;
  return before - line.items.length;
}
