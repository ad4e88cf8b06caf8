import { expect, it } from 'vitest';
import { placesFor } from './heavy-requests.ts';

it('gives out so many places over the host and for each tenant, and takes them back', () => {
  const places = placesFor({ host: 3, tenant: 2 });
  const a1 = places.enter('a');
  const a2 = places.enter('a');
  expect(a1 && a2).toBeDefined();
  expect(places.enter('a')).toBeUndefined();
  const b1 = places.enter('b');
  expect(b1).toBeDefined();
  expect(places.enter('b')).toBeUndefined();
  expect(places.enter('c')).toBeUndefined();
  a1?.();
  expect(places.enter('c')).toBeDefined();
  expect(places.enter('a')).toBeUndefined();
  b1?.();
  expect(places.enter('a')).toBeDefined();
});
