import { UnfitSliceError } from '@baton/engine/ports';
import { array, assert, asyncProperty, boolean, maxSafeInteger, option, string } from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { openExample } from '../../testing/example-rows.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import { columnsOf } from './columns.ts';

afterAll(stopServers);

const itself = <T>(value: T): T => value;

describe('columns', () => {
  it('come to Postgres as they are', async () => {
    const database = await openExample();
    const back = async (type: string, column: Buffer) =>
      (await database.rows<{ value: unknown }>(`SELECT unnest($1::${type}[]) AS value`, column)).map(
        ({ value }) => value,
      );
    // A text of Postgres cannot hold U+0000.
    const text = string({ unit: 'grapheme' }).map((some) => some.replaceAll('\0', '\u0003'));
    await assert(
      asyncProperty(
        array(option(maxSafeInteger())),
        array(option(text)),
        array(option(boolean())),
        async (numbers, texts, flags) => {
          expect(await back('bigint', columnsOf(numbers).bigint('n', itself))).toEqual(numbers);
          expect(await back('text', columnsOf(texts).text('t', itself))).toEqual(texts);
          expect(await back('boolean', columnsOf(flags).boolean(itself))).toEqual(flags);
        },
      ),
    );
    const few = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)];
    expect(await back('integer', columnsOf(few).integer('n', itself))).toEqual(few);
  });

  it.each([0.5, 1e300, Number.NaN, undefined as never, '1' as never])('refuse %s as a number', (value) => {
    const { bigint, integer } = columnsOf([value]);
    expect(() => bigint('time', itself)).toThrow(UnfitSliceError);
    expect(() => integer('time', itself)).toThrow('time is no integer');
  });

  it.each([undefined, 1, {}] as never[])('refuse %s as a text', (value) => {
    expect(() => columnsOf([value]).text('title', itself)).toThrow('title is no text');
  });
});
