interface Page<T> {
  readonly items: readonly T[];
  /** The cursor of the next page. Absent on the last one. */
  readonly next?: string;
}

/** The items of all pages, one after the other. A page is read when its first item is asked for. */
export async function* pagesOf<T>(
  read: (cursor: string | undefined) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | undefined;
  do {
    const { items, next } = await read(cursor);
    yield* items;
    cursor = next;
  } while (cursor !== undefined);
}

export async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const gathered: T[] = [];
  for await (const item of items) gathered.push(item);
  return gathered;
}
