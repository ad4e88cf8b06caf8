import { UnfitSliceError } from '@baton/engine/ports';

/**
 * Columns of many rows, for statements that write them at once: `unnest($1::bigint[], $2::text[])`. They are in the
 * binary form of Postgres. The driver would quote each element of an array, which takes longer than all the rest. A
 * value that does not fit its column is noticed here, and told with the name of the column.
 */
export interface ColumnsOf<Row> {
  bigint(name: string, of: (row: Row) => number | null): Buffer;
  integer(name: string, of: (row: Row) => number): Buffer;
  text(name: string, of: (row: Row) => string | null): Buffer;
  boolean(of: (row: Row) => boolean | null): Buffer;
}

const BOOLEAN = 16;
const BIGINT = 20;
const INTEGER = 23;
const TEXT = 25;

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL = -1;
const HIGH = 2 ** 32;

export function columnsOf<Row>(rows: readonly Row[]): ColumnsOf<Row> {
  return {
    bigint(name, of) {
      const array = beginArray(BIGINT, rows.length, rows.length * 8);
      let at = HEADER_BYTES;
      for (const row of rows) {
        const value = of(row);
        if (value === null) {
          at = array.writeInt32BE(NULL, at);
          continue;
        }
        requireInteger(name, value);
        at = array.writeInt32BE(8, at);
        at = array.writeInt32BE(Math.floor(value / HIGH), at);
        at = array.writeUInt32BE(value >>> 0, at);
      }
      return array.subarray(0, at);
    },
    integer(name, of) {
      const array = beginArray(INTEGER, rows.length, rows.length * 4);
      let at = HEADER_BYTES;
      for (const row of rows) {
        const value = of(row);
        if ((value | 0) !== value) throw new UnfitSliceError(`${name} is no integer: ${String(value)}`);
        at = array.writeInt32BE(4, at);
        at = array.writeInt32BE(value, at);
      }
      return array.subarray(0, at);
    },
    text(name, of) {
      const values = rows.map(of);
      let bytes = 0;
      for (const value of values) bytes += bytesOf(name, value);
      const array = beginArray(TEXT, rows.length, bytes);
      let at = HEADER_BYTES;
      for (const value of values) {
        const size = value === null ? NULL : array.write(value, at + LENGTH_BYTES);
        at = array.writeInt32BE(size, at) + Math.max(size, 0);
      }
      return array.subarray(0, at);
    },
    boolean(of) {
      const array = beginArray(BOOLEAN, rows.length, rows.length);
      let at = HEADER_BYTES;
      for (const row of rows) {
        const value = of(row);
        at = array.writeInt32BE(value === null ? NULL : 1, at);
        if (value !== null) at = array.writeUInt8(value ? 1 : 0, at);
      }
      return array.subarray(0, at);
    },
  };
}

export function requireInteger(name: string, value: number): void {
  if (!Number.isSafeInteger(value)) throw new UnfitSliceError(`${name} is no integer: ${String(value)}`);
}

/** The header of an array, with room for its elements. An array without elements has no dimension. */
function beginArray(type: number, count: number, bytes: number): Buffer {
  const array = Buffer.allocUnsafe(count === 0 ? 12 : HEADER_BYTES + count * LENGTH_BYTES + bytes);
  array.writeInt32BE(count === 0 ? 0 : 1, 0);
  // Whether elements may be null.
  array.writeInt32BE(1, 4);
  array.writeInt32BE(type, 8);
  if (count === 0) return array;
  array.writeInt32BE(count, 12);
  array.writeInt32BE(1, 16);
  return array;
}

function bytesOf(name: string, value: string | null): number {
  if (value === null) return 0;
  if (typeof value !== 'string') throw new UnfitSliceError(`${name} is no text`);
  return Buffer.byteLength(value);
}
