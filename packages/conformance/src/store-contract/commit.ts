import { expect, it } from 'vitest';
import { write } from './example-memory.ts';
import { advanced, birth, childRecord, created, events, record, slice, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

export function commitContract(factory: StoreFactory): void {
  it('keeps events as they were given, numbered without a gap', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 3)]);
    await store.commit([slice('a', [advanced('a', 3, 20)])]);
    expect(await reads.events('acme', 'a', 0, 100)).toEqual(events('a', 0, 23));
    expect((await reads.run('acme', 'a'))?.head).toBe(23);
  });

  it('keeps text exactly, whatever is in it', async () => {
    const { store, reads } = await fresh(factory);
    const odd = JSON.stringify({ text: 'ünï\u0000cødé \u{1f9d1} \\" \'; DROP TABLE runs; --' });
    await store.commit([birth(record('a'), 0, { events: [odd] })]);
    expect(await reads.events('acme', 'a', 0, 1)).toEqual([odd]);
  });

  it('reads events from a sequence on, up to a limit', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 10)]);
    expect(await reads.events('acme', 'a', 4, 3)).toEqual(events('a', 4, 3));
    expect(await reads.events('acme', 'a', 10, 3)).toEqual([]);
  });

  it('remembers the status and time of the last slice', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a', { tags: ['x', 'y'] }), 2)]);
    await store.commit([slice('a', [advanced('a', 2, 1, { status: 'completed', at: T0 + 50 })])]);
    const row = {
      ...record('a', { tags: ['x', 'y'] }),
      status: 'completed',
      updatedAt: T0 + 50,
      head: 3,
    };
    expect(await reads.run('acme', 'a')).toEqual(row);
    expect(await store.run('a')).toEqual(row);
  });

  it('stores a parent and its children in one slice, in any order', async () => {
    const { store, reads } = await fresh(factory);
    const child = childRecord('a.1', 'a');
    const results = await store.commit([slice('a', [created(child, 2), created(record('a'), 3)])]);
    expect(results).toEqual(['committed']);
    expect(await reads.run('acme', 'a.1')).toMatchObject({
      rootId: 'a',
      parentRunId: 'a',
      parentNodeId: 'dispatch',
    });
    expect(await reads.run('acme', 'a')).not.toHaveProperty('parentRunId');
  });

  it('refuses a slice whose head is not the stored one, and stores nothing of it', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 2), birth(record('b'), 2)]);
    const stale = slice('a', [advanced('b', 2, 1), advanced('a', 1, 1)], {
      wake: { at: T0, unfinished: true },
      idempotency: { tenant: 'acme', principal: 'ada', key: 'k', request: 'r', reply: '{}', at: T0 },
    });
    expect(await store.commit([stale])).toEqual(['conflict']);
    expect(await reads.events('acme', 'a', 0, 10)).toEqual(events('a', 0, 2));
    expect(await reads.events('acme', 'b', 0, 10)).toEqual(events('b', 0, 2));
    expect(await store.unfinished()).toEqual([]);
    expect(await store.replyFor('acme', 'ada', 'k')).toBeUndefined();
  });

  it('stores nothing of what a slice carries that conflicts', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'))]);
    const bytes = await store.bytesOf('acme');
    const used = { inputTokens: 1, outputTokens: 1, toolCalls: 1 };
    const late = slice('a', [advanced('a', 7, 1)], {
      memory: [write('scope:x', 1, 'lost')],
      modelAnswer: { tenant: 'acme', cacheKey: 'key', answer: 'lost', at: T0 },
      cancels: [{ runId: 'a', peer: 'acme', task: 'a/remote/1/1/2', namedBy: 'key', at: T0 }],
      spent: { tenant: 'acme', day: 1, ...used, agents: [{ agentId: 'x.y', ...used }] },
    });
    expect(await store.commit([late])).toEqual(['conflict']);
    expect(await store.scope('acme', 'scope:x')).toBeUndefined();
    expect(await reads.modelAnswer('acme', 'key')).toBeUndefined();
    expect(await reads.remoteCancels(undefined, 9)).toEqual([]);
    expect(await reads.spending('acme', 1, 1)).toMatchObject({ inputTokens: 0 });
    expect(await reads.agentSpending('acme', 1, 1, 10)).toEqual([]);
    expect(await store.bytesOf('acme')).toBe(bytes);
  });

  it('refuses only the slices that conflict, not the rest of their group', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 2), birth(record('b'), 2)]);
    const results = await store.commit([
      birth(record('c'), 17),
      slice('a', [advanced('a', 9, 1)]),
      slice('b', [advanced('b', 2, 17)]),
      slice('nobody', [advanced('nobody', 0, 1)]),
      birth(record('d'), 1),
    ]);
    expect(results).toEqual(['committed', 'conflict', 'committed', 'conflict', 'committed']);
    expect(await reads.events('acme', 'b', 0, 100)).toEqual(events('b', 0, 19));
    expect(await reads.events('acme', 'c', 0, 100)).toEqual(events('c', 0, 17));
    expect((await reads.run('acme', 'd'))?.head).toBe(1);
    expect(await store.commit([slice('d', [advanced('d', 1, 1)])])).toEqual(['committed']);
  });

  it('lets a slice build on an earlier one of its group, and falls with it', async () => {
    const { store, reads } = await fresh(factory);
    const first = await store.commit([birth(record('a'), 2), slice('a', [advanced('a', 2, 1)])]);
    expect(first).toEqual(['committed', 'committed']);
    const next = [slice('a', [advanced('a', 7, 1)]), slice('a', [advanced('a', 8, 1)])];
    expect(await store.commit(next)).toEqual(['conflict', 'conflict']);
    expect((await reads.run('acme', 'a'))?.head).toBe(3);
  });

  it('refuses to create a run twice', async () => {
    const { store, reads } = await fresh(factory);
    const twice = birth(record('a'), 2);
    expect(await store.commit([twice, twice])).toEqual(['committed', 'conflict']);
    expect(await store.commit([birth(record('a', { tenant: 'other' }), 5)])).toEqual(['conflict']);
    expect((await reads.run('acme', 'a'))?.head).toBe(2);
    expect(await store.commit([slice('a', [advanced('a', 2, 1)])])).toEqual(['committed']);
  });

  it('refuses a child of a tree that does not exist', async () => {
    const { store, reads } = await fresh(factory);
    expect(await store.commit([slice('a', [created(childRecord('a.1', 'a'), 1)])])).toEqual(['conflict']);
    expect(await reads.run('acme', 'a.1')).toBeUndefined();
  });

  it('accepts an empty group, and a slice without events', async () => {
    const { store, reads } = await fresh(factory);
    expect(await store.commit([])).toEqual([]);
    await store.commit([birth(record('a'), 2)]);
    const paused = slice('a', [advanced('a', 2, 0, { status: 'paused', at: T0 + 9 })]);
    expect(await store.commit([paused])).toEqual(['committed']);
    expect(await reads.run('acme', 'a')).toMatchObject({ status: 'paused', head: 2, updatedAt: T0 + 9 });
  });

  it('accepts an outcome that came too late, and again when it is reported twice', async () => {
    const { store } = await fresh(factory);
    await store.commit([birth(record('a'), 1, { status: 'completed' })]);
    const late = slice('a', [], {
      lateOutcome: { key: 'a/n/1', runId: 'a', outcome: { kind: 'done' }, at: T0 },
    });
    expect(await store.commit([late])).toEqual(['committed']);
    expect(await store.commit([late])).toEqual(['committed']);
  });
}
