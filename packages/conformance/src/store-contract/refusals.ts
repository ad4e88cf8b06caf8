import { expect, it } from 'vitest';
import type { Slice } from '../../../engine/src/ports/store.ts';
import { write } from './example-memory.ts';
import { advanced, birth, events, interrupt, record, slice } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

const REFUSED = { refused: expect.any(String) };
const BEYOND = 1e300;

/** Slices of run "a" (two events so far), each with a value that no column can hold. */
const UNFIT: readonly (readonly [string, Slice])[] = [
  ['a version of a workflow', birth(record('new', { workflowVersion: BEYOND }), 1)],
  ['a time of creation', birth(record('new', { createdAt: BEYOND }), 1)],
  ['a time', slice('a', [advanced('a', 2, 1, { at: 0.5 })])],
  ['a deadline', slice('a', [advanced('a', 2, 1)], { wake: { at: BEYOND, unfinished: true } })],
  ['the sequence of a checkpoint', slice('a', [advanced('a', 2, 1, { savedState: checkpoint(BEYOND) })])],
  [
    'the time of a question',
    slice('a', [advanced('a', 2, 1, { interruptsOpened: [interrupt('a', 'q', { requestedAt: 0.5 })] })]),
  ],
  [
    'the time of a reply',
    slice('a', [advanced('a', 2, 1)], {
      idempotency: { tenant: 'acme', principal: 'ada', key: 'k', request: 'r', reply: '{}', at: BEYOND },
    }),
  ],
  [
    'when an entry expires',
    slice('a', [advanced('a', 2, 1)], { memory: [write('scope:x', 1, 'x', { expiresAt: BEYOND })] }),
  ],
  ['a column that is missing', birth(record('new', { workflowId: undefined as never }), 1)],
  ['a value that is no column', birth(record('new', { workflowId: {} as never }), 1)],
  ['events that are no text', slice('a', [advanced('a', 2, 1, { events: [null as never] })])],
];

/** A slice with content that cannot be kept is refused alone, and must not affect other slices. */
export function refusalContract(factory: StoreFactory): void {
  it.each(UNFIT)('refuses a slice alone for %s, and stores nothing of it', async (_what, unfit) => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 2), birth(record('b'), 2)]);
    const group = [
      birth(record('c'), 17),
      unfit,
      slice('b', [advanced('b', 2, 17)]),
      slice('b', [advanced('b', 7, 1)]),
      birth(record('d'), 3),
    ];
    expect(await store.commit(group)).toEqual(['committed', REFUSED, 'committed', 'conflict', 'committed']);
    expect(await reads.events('acme', 'a', 0, 100)).toEqual(events('a', 0, 2));
    expect(await reads.events('acme', 'b', 0, 100)).toEqual(events('b', 0, 19));
    expect(await reads.events('acme', 'c', 0, 100)).toEqual(events('c', 0, 17));
    expect(await reads.events('acme', 'd', 0, 100)).toEqual(events('d', 0, 3));
    expect(await reads.run('acme', 'new')).toBeUndefined();
    expect(await store.unfinished()).toEqual([]);
    expect(await store.scope('acme', 'scope:x')).toBeUndefined();
    expect(await store.commit([slice('a', [advanced('a', 2, 1)])])).toEqual(['committed']);
  });

  it('lets fall with it what was built on it, and only that', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 2)]);
    const unfit = slice('a', [advanced('a', 2, 1, { at: BEYOND })]);
    const group = [unfit, slice('a', [advanced('a', 3, 1)]), birth(record('b'), 1)];
    expect(await store.commit(group)).toEqual([REFUSED, 'conflict', 'committed']);
    expect((await reads.run('acme', 'a'))?.head).toBe(2);
  });

  it('lets fall with a conflict what was built on it, also where the head would fit', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 2)]);
    const first = slice('a', [advanced('a', 2, 3, { status: 'cancelled' })]);
    const stale = slice('a', [advanced('a', 2, 3)]);
    const onStale = slice('a', [advanced('a', 5, 1)]);
    expect(await store.commit([first, stale, onStale])).toEqual(['committed', 'conflict', 'conflict']);
    expect(await reads.run('acme', 'a')).toMatchObject({ head: 5, status: 'cancelled' });
  });

  it('refuses as many as there are', async () => {
    const { store, reads } = await fresh(factory);
    const group = Array.from({ length: 40 }, (_, n) =>
      birth(record(`r${n}`, n % 2 === 0 ? { workflowVersion: BEYOND } : {}), 3),
    );
    const results = await store.commit(group);
    expect(results).toEqual(group.map((_, n) => (n % 2 === 0 ? REFUSED : 'committed')));
    expect(await reads.run('acme', 'r38')).toBeUndefined();
    expect((await reads.run('acme', 'r39'))?.head).toBe(3);
  });
}

function checkpoint(sequence: number) {
  return { sequence, foldVersion: 1, state: '{}' };
}
