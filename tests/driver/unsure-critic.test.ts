import type { Store } from '@baton/engine';
import { expect, it } from 'vitest';
import { child, line, replay, start } from './forking.ts';
import { CRITIC, GOOD } from './forks/parts.ts';
import { startTestEngine } from './test-engine.ts';

/** A log as it would be if the question had been asked in other words. */
function inOtherWords(store: Store): Store {
  return {
    ...store,
    placedEvents: async (...query) =>
      (await store.placedEvents(...query)).map((event) => ({
        ...event,
        text: event.text.replace('The critic passed it, but was not sure enough.', 'Please look at this.'),
      })),
  };
}

it('a replay asks about an unsure critic where its source did, whatever the words of the question', async () => {
  const settings = { verifier: { workflowId: 'critic' } };
  const first = await startTestEngine({ limits: { confidenceFloor: 0.9 } });
  await first.register(line('parent', [child('call', 'good', {}, { settings })]), GOOD, CRITIC);
  const source = await start(first, 'parent');
  const asked = (await first.events(source)).find(({ type }) => type === 'interrupt.requested');
  expect(asked?.payload).toMatchObject({ data: { belowFloor: { confidence: 0.7, floor: 0.9 } } });
  const later = await first.crash({ limits: { confidenceFloor: 0.5 }, wrap: inOtherWords });
  const twin = await replay(later, source);
  // The replay asked too: where it differs is in the words, and not in what it did.
  const parted = (await later.events(twin)).find(({ type }) => type === 'replay.diverged');
  expect(parted?.payload).toMatchObject({ divergencePoint: 'interrupt.requested', divergenceKind: 'output' });
});
