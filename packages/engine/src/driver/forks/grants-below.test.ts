import { expect, it } from 'vitest';
import { record } from '../../../../conformance/src/store-contract/example-slices.ts';
import type { PlacedEvent, RunRow, Store } from '../../ports/store.ts';
import { coveredBelow } from './grants-below.ts';

const row = (runId: string): RunRow => ({ ...record(runId), status: 'running', updatedAt: 0, head: 9 });
const event = (runId: string, sequence: number, type: string, payload: object = {}): PlacedEvent => ({
  place: sequence,
  starts: true,
  stepEnd: sequence,
  text: JSON.stringify({ eventId: `${runId}:${sequence}`, sequence, type, causationId: 'a:7', payload }),
});

/** A run "a" whose only child has this log. */
function storeOf(log: (from: number, limit: number) => readonly PlacedEvent[]) {
  let read = 0;
  const store = {
    run: async (runId: string) => (runId === 'a.1' ? row(runId) : undefined),
    placedEvents: async (_runId: string, from: number, limit: number) => {
      const page = log(from, limit);
      read += page.length;
      return page;
    },
  };
  return { store: store as unknown as Store, read: () => read };
}

it('reads only so much of a long history, and then counts it as covered', async () => {
  const { store, read } = storeOf((from, limit) =>
    Array.from({ length: limit }, (_, at) => event('a.1', from + at, 'node.completed')),
  );
  expect(await coveredBelow(store, row('a'), Number.MAX_SAFE_INTEGER)).toEqual({
    runId: 'a',
    index: 7,
    isCertain: false,
  });
  expect(read()).toBeLessThan(21_000);
});

it.each([
  ['an approval', [event('a.1', 1, 'approval.received', { action: 'accept' })], true],
  ['a rejection', [event('a.1', 1, 'approval.received', { action: 'reject' })], false],
  ['an approval after the cut', [event('a.1', 9, 'approval.received', { action: 'accept' })], false],
  ['a question that shows values', [asked({ amount: 1 })], true],
  ['a question that shows nothing', [asked({})], false],
  ['a question that ended with its run', [asked({ amount: 1 }), event('a.1', 2, 'run.cancelled')], false],
  [
    'a question that was settled',
    [asked({ amount: 1 }), event('a.1', 2, 'interrupt.resolved', { interruptId: 'q' })],
    false,
  ],
])('finds in a child: %s', async (_what, events, isCovered) => {
  const log = [event('a.1', 0, 'run.started'), ...events];
  const { store } = storeOf((from, limit) => log.slice(from, from + limit));
  const found = await coveredBelow(store, row('a'), 5);
  expect(found).toEqual(isCovered ? { runId: 'a', index: 7, isCertain: true } : undefined);
});

function asked(artifactData: object): PlacedEvent {
  return event('a.1', 1, 'interrupt.requested', { key: 'q', kind: 'approval', data: { artifactData } });
}
