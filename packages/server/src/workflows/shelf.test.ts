import { changeListeners } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import { createShelf } from './shelf.ts';

it('has another revision after a registration, and when registrations may have been missed', () => {
  const feed = changeListeners();
  const shelf = createShelf(feed);
  const first = shelf.revision();
  feed.tell({ kind: 'log', runId: 'r' });
  expect(shelf.revision()).toBe(first);
  feed.tell({ kind: 'workflow', tenant: 'acme', id: 'w' });
  const second = shelf.revision();
  expect(second).toBeGreaterThan(first);
  feed.tell({ kind: 'missed' });
  expect(shelf.revision()).toBeGreaterThan(second);
});
