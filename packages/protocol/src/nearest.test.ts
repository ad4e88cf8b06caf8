import { describe, expect, it } from 'vitest';
import { editDistance, nearest } from './nearest.ts';

describe('nearest', () => {
  it.each([
    ['', '', 0],
    ['port', '', 4],
    ['', 'port', 4],
    ['port', 'prot', 2],
    ['prt', 'port', 1],
    ['portt', 'port', 1],
    ['part', 'port', 1],
  ])('%s and %s differ by %i letters', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
  });

  it('picks the closest word', () => {
    expect(nearest('BATON_PROT', ['BATON_HOST', 'BATON_PORT', 'BATON_DATA'])).toBe('BATON_PORT');
  });

  it('has no suggestion when nothing is known', () => {
    expect(nearest('anything', [])).toBeUndefined();
  });
});
