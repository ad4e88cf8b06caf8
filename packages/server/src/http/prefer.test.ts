import { expect, it } from 'vitest';
import { waitSeconds } from './prefer.ts';

it.each([
  ['wait=10', 10],
  ['respond-async, wait=5', 5],
  ['wait=5; foo=bar', 5],
  ['wait="7"', 7],
  ['WAIT = 3', 3],
  ['wait=0', 0],
  ['wait=9999', 60],
  ['wait', undefined],
  ['wait=soon', undefined],
  ['wait=-1', undefined],
  ['await=3', undefined],
  ['return=minimal', undefined],
  [undefined, undefined],
])('%s is %s', (prefer, seconds) => expect(waitSeconds(prefer)).toBe(seconds));
