import { expect, it } from 'vitest';
import { columns } from './columns.ts';

it('aligns cells under their headings', () => {
  const text = columns([
    ['ID', 'TENANT', 'STATE'],
    ['key_1', 'a', 'active'],
    ['k', 'acme-corp', ''],
  ]);
  expect(text).toBe('ID     TENANT     STATE\nkey_1  a          active\nk      acme-corp');
});

it('has nothing to say about no rows', () => {
  expect(columns([])).toBe('');
});

it('aligns cells with wide characters by the columns that they take', () => {
  const text = columns([
    ['NAME', 'STATE'],
    ['潮汐潮', 'open'],
    ['owl', 'closed'],
  ]);
  expect(text).toBe('NAME    STATE\n潮汐潮  open\nowl     closed');
});
