import { assert, property, string, stringMatching } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { restored, shortener } from './short-text.ts';

const ROOT = '01a1e83d-93f0-7344-bf57-c87f57daa97e';
const CHILD = `${ROOT}.1`;

function event(runId: string, sequence: number, more: object = {}): string {
  const type = { timestamp: '2026-11-17T06:41:52.112Z', type: 'node.started', ...more };
  return JSON.stringify({ eventId: `${runId}:${sequence}`, runId, sequence, ...type });
}

describe('a short text', () => {
  it.each([ROOT, CHILD])('is restored to the same characters, in the log of %s', (runId) => {
    const text = event(runId, 12, {
      causationId: `${ROOT}:3`,
      payload: { childRunId: `${ROOT}.2`, text: 'é ①' },
    });
    const short = shortener(runId)(text, 12);
    expect(short).toBe(
      '"2026-11-17T06:41:52.112Z","type":"node.started","causationId":"\u0001:3","payload":{"childRunId":"\u0001.2","text":"é ①"}}',
    );
    expect(restored(short, runId, 12)).toBe(text);
  });

  it.each([
    ['of another run', event(ROOT, 12)],
    ['of another place in the log', event(CHILD, 13)],
    [
      'with members in another order',
      event(CHILD, 12).replace('"sequence":12,', '').replace('}', ',"sequence":12}'),
    ],
    ['with a mark in it', event(CHILD, 12, { payload: 'x' }).replace('"x"', '"\u0001"')],
    ['that is empty', ''],
  ])('is not made of a text %s', (_, text) => {
    expect(shortener(CHILD)(text, 12)).toBe(text);
    expect(restored(text, CHILD, 12)).toBe(text);
  });

  it('is restored for all texts, also for those that begin with a mark', () => {
    const ids = stringMatching(/^[a-z\d-]{0,12}(\.\d){0,2}$/);
    assert(
      property(ids, string({ unit: 'binary' }), (runId, rest) => {
        for (const text of [rest, `"${rest}`, `\u0002${rest}`, event(runId, 7, { payload: rest + runId })]) {
          expect(restored(shortener(runId)(text, 7), runId, 7)).toBe(text);
        }
      }),
    );
  });
});
