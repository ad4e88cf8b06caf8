import { expect, it } from 'vitest';
import { reachable } from './open-console.ts';

it.each([
  ['http://127.0.0.1:4747/#code=c', 'http://127.0.0.1:4747', 'http://127.0.0.1:4747/#code=c'],
  ['http://[::1]:4747/#code=c', 'http://localhost:4747', 'http://[::1]:4747/#code=c'],
  ['http://127.0.0.1:4747/#code=c', 'http://baton.lan:4747', 'http://baton.lan:4747/#code=c'],
  ['https://baton.example.com/#code=c', 'http://10.0.0.5:4747', 'https://baton.example.com/#code=c'],
])('the link %s of a host at %s is %s', (link, used, expected) => {
  expect(reachable(link, used)).toBe(expected);
});
