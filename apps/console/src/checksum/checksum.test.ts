import { digest } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { HARD_CASES } from '../../../../tests/console/hard-cases.ts';
import { checksumOf, isSameJson } from './checksum.ts';

async function sha256OfPlatform(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

describe('the checksum of the browser', () => {
  it.each(HARD_CASES)('is made of the canonical bytes: $name', async ({ json, canonical }) => {
    expect(checksumOf(JSON.parse(json))).toBe(await sha256OfPlatform(canonical));
  });

  it.each(HARD_CASES)('equals that of the host: $name', ({ json }) => {
    expect(checksumOf(JSON.parse(json))).toBe(digest(JSON.parse(json)));
  });
});

describe('isSameJson', () => {
  it('ignores the order of members and heeds that of lists', () => {
    expect(isSameJson({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 })).toBe(true);
    expect(isSameJson([1, 2], [2, 1])).toBe(false);
  });

  it('tells a missing value from null', () => {
    expect(isSameJson(undefined, null)).toBe(false);
    expect(isSameJson(undefined, undefined)).toBe(true);
  });
});
