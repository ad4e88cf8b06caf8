import { expect, it } from 'vitest';
import { parseRole } from './roles.ts';

it('reads a role', () => {
  expect(parseRole('viewer')).toBe('viewer');
});

it('suggests the role that was meant', () => {
  expect(() => parseRole('approvr')).toThrow(/"approvr".*did you mean approver\?.*operator, author/);
});
