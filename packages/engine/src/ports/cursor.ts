import { invalid } from '@baton/protocol';
import type { Page } from './reads/page.ts';

/**
 * A cursor is the number of the last row of a page. It is encoded, because clients must not compute with it.
 */
export function cursorAfter(number: number): string {
  return Buffer.from(String(number)).toString('base64url');
}

export function readCursor(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString();
  const number = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number) && cursorAfter(number) === cursor) return number;
  throw invalid('query', { field: 'cursor', problem: 'is not one that a page before this gave as its next' });
}

/**
 * Queries read one row more than the limit, to see whether there is a next page. This row is removed here.
 */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  numberOf: (row: Row) => number,
): Page<Item> {
  const items = rows.slice(0, limit).map(toItem);
  const last = rows[limit - 1];
  return rows.length > limit && last !== undefined ? { items, next: cursorAfter(numberOf(last)) } : { items };
}
