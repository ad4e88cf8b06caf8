import { describe, expect, it } from 'vitest';
import { createInterruptTokens } from './token.ts';

const claim = { tenant: 'acme', runId: 'r', interruptId: 'gate:1' };

function tokensAt(start: number, lifetimeMs = 1000, key = 'k') {
  let time = start;
  const tokens = createInterruptTokens(Buffer.from(key), lifetimeMs, () => time);
  const wait = (ms: number) => {
    time += ms;
  };
  return { ...tokens, wait };
}

const gone = expect.objectContaining({ code: 'interrupt_gone' });
const unknown = expect.objectContaining({ code: 'not_found' });

describe('interrupt tokens', () => {
  it('give back what was signed', () => {
    const tokens = tokensAt(10_000);
    expect(tokens.verify(tokens.sign(claim))).toEqual(claim);
  });

  it('live at least half of their time and no longer than all of it', () => {
    const tokens = tokensAt(10_499);
    const token = tokens.sign(claim);
    tokens.wait(500);
    expect(tokens.verify(token)).toEqual(claim);
    tokens.wait(500);
    expect(() => tokens.verify(token)).toThrow(gone);
  });

  it('end with the interrupt when that is sooner', () => {
    const tokens = tokensAt(10_000);
    const token = tokens.sign(claim, 10_010);
    tokens.wait(10);
    expect(() => tokens.verify(token)).toThrow(gone);
  });

  it('are the same within a window', () => {
    const tokens = tokensAt(10_000);
    const token = tokens.sign(claim);
    tokens.wait(499);
    expect(tokens.sign(claim)).toBe(token);
    tokens.wait(1);
    expect(tokens.sign(claim)).not.toBe(token);
  });

  it('of another host, or changed, are unknown', () => {
    const tokens = tokensAt(10_000);
    const token = tokens.sign(claim);
    expect(() => tokensAt(10_000, 1000, 'other').verify(token)).toThrow(unknown);
    for (const wrong of ['', '.', 'x', `${token}x`, `${token}.x`, `x${token}`, token.split('.')[0] ?? '']) {
      expect(() => tokens.verify(wrong)).toThrow(unknown);
    }
  });
});
