import { connect, type RunEvent } from '@baton/client';
import { afterAll, describe, expect, it } from 'vitest';
import { type Cut, type CuttingProxy, cuttingProxy } from './cutting-proxy.ts';

/** Streams that are cut at every byte. */

/** Characters of one to four bytes, and texts that look like the syntax of a stream. */
const EVENTS = ['run.started', 'node.started', 'node.completed', 'run.completed'].map((type, sequence) => ({
  eventId: `r:${sequence}`,
  runId: 'r',
  sequence,
  timestamp: '2026-01-01T00:00:00.000Z',
  type,
  payload: { text: 'aé€😀 id: 9\n\ndata: x' },
}));
const proxy: CuttingProxy = await cuttingProxy(EVENTS);
afterAll(() => proxy.stop());

const patience = { firstDelayMs: 0, longestDelayMs: 0 };

async function read(from = 0): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of connect({ url: proxy.url, patience }).run('r').events({ from }))
    events.push(event);
  return events;
}

describe.each(['reset', 'close'] as const)('a stream that is cut with a %s', (how) => {
  it('at any byte is read on without repeating or skipping an event', async () => {
    expect(proxy.size).toBeGreaterThan(500);
    for (let after = 0; after <= proxy.size; after += 1) {
      proxy.plan({ after, how });
      const events = await read();
      if (!isWhole(events)) throw new Error(`cut after byte ${after}: ${sequences(events)}`);
    }
    // The last cut was after the last byte. A connection that broke may have brought less than was sent.
    expect(proxy.asked).toEqual(how === 'close' ? [undefined] : [undefined, '3']);
  });

  it('again and again is read to its end', async () => {
    const cuts = Array.from({ length: 60 }, (_, index): Cut => ({ after: 40 + index * 7, how }));
    proxy.plan(...cuts);
    expect(sequences(await read())).toBe('0 1 2 3');
    expect(proxy.asked.length).toBeGreaterThan(10);
    expect(proxy.asked.slice(0, 2)).toEqual([undefined, undefined]);
    expect(proxy.asked.at(-1)).not.toBe(undefined);
  });
});

it('begins at the event that was asked for', async () => {
  proxy.plan({ after: 300, how: 'reset' });
  expect(sequences(await read(2))).toBe('2 3');
  expect(proxy.asked[0]).toBe('1');
});

it('gives up when the stream brings nothing new for too long', async () => {
  proxy.plan(...Array.from({ length: 10 }, (): Cut => ({ after: 20, how: 'reset' })));
  const baton = connect({ url: proxy.url, patience: { ...patience, streamTries: 5 } });
  await expect(baton.run('r').events().next()).rejects.toMatchObject({ code: 'host_unreachable' });
  expect(proxy.asked).toHaveLength(5);
});

function isWhole(events: readonly RunEvent[]): boolean {
  return JSON.stringify(events) === JSON.stringify(EVENTS);
}

function sequences(events: readonly RunEvent[]): string {
  return events.map(({ sequence }) => sequence).join(' ');
}
