import { expect, it } from 'vitest';
import { readRunSearch, readWorkflowsSearch, strictly } from './search.ts';

/** What the router makes of an address: the values of the reader over those of the address. */
const routed = (read: (search: Record<string, unknown>) => object, given: Record<string, unknown>) => ({
  ...given,
  ...strictly(read)(given),
});

it('takes away what a page does not know, and values of a wrong type', () => {
  expect(routed(readRunSearch, { view: 'zzz', at: '4', more: [] })).toEqual({ at: 4 });
  expect(routed(readWorkflowsSearch, { q: [], new: 'yes' })).toEqual({});
  expect(routed(readWorkflowsSearch, { q: 'hello' })).toEqual({ q: 'hello' });
});
