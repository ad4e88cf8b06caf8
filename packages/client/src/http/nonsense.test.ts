import { expect, it } from 'vitest';
import { connect } from '../connect.ts';
import { milliseconds } from '../testing/duration.ts';
import { askedWait } from './failures.ts';

const at = (asked: string): number =>
  askedWait(new Headers({ 'retry-after': asked }), Date.parse('2026-01-01T00:00:00Z'));

it('follows a Retry-After in seconds and as a date', () => {
  expect(at('3')).toBe(3000);
  expect(at('Thu, 01 Jan 2026 00:00:20 GMT')).toBe(20_000);
  expect(['Thu, 01 Jan 2025 00:00:00 GMT', 'soon', '', '-1'].map(at)).toEqual([0, 0, 0, 0]);
});

it.each(['http://127.0.0.1:1/a?x=1', 'http://127.0.0.1:1/#f', 'ftp://h', 'nonsense'])(
  'refuses the address %s',
  (url) => {
    expect(() => connect({ url })).toThrow('is not the address of a host');
  },
);

it.each(['a\nb', 'a b', 'ä', ''])('refuses the key %j before it is sent', (key) => {
  expect(() => connect({ url: 'http://127.0.0.1:1', key })).toThrow('The key has');
});

it.each([-1, Number.NaN, 1.5])('refuses events from %s on', async (from) => {
  await expect(connect({ url: 'http://127.0.0.1:1' }).run('r').events({ from }).next()).rejects.toThrow(
    RangeError,
  );
});

it('asks the host about an id with half a character, as about any other id', async () => {
  const asked: string[] = [];
  const fetch = async (url: string): Promise<Response> => {
    asked.push(url);
    return Response.json({ error: 'not_found', message: 'No.' }, { status: 404 });
  };
  const run = connect({ url: 'http://host.example', fetch }).run('\ud800');
  await expect(run.snapshot()).rejects.toMatchObject({ code: 'not_found' });
  expect(asked).toEqual(['http://host.example/v1/runs/%EF%BF%BD']);
});

it.each([Number.NaN, Number.POSITIVE_INFINITY, -5])(
  'refuses %s as a duration of the test kit',
  (duration) => {
    expect(() => milliseconds(duration)).toThrow('is not a duration');
  },
);
