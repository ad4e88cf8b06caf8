import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newKey } from './api-key.ts';

const holder = { tenant: 'acme', principal: 'ada', scopes: ['runs:read'] };

describe('newKey', () => {
  it('is 32 random bytes that can be told from other secrets', () => {
    expect(newKey(holder, 0).key).toMatch(/^baton_[\w-]{43}$/);
    expect(newKey(holder, 0).key).not.toBe(newKey(holder, 0).key);
  });

  it('is stored as its SHA-256 and nothing more', () => {
    const { key, record } = newKey(holder, 1000);
    expect(record).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{12}$/),
      hash: createHash('sha256').update(key).digest('hex'),
      ...holder,
      createdAt: 1000,
    });
    expect(JSON.stringify(record)).not.toContain(key);
  });
});
