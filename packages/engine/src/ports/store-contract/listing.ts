import { expect, it } from 'vitest';
import type { RunQuery, StoreReads } from '../store.ts';
import { advanced, birth, childRecord, created, record, slice } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

export function listingContract(factory: StoreFactory): void {
  it('lists newest first, page by page, and says when there is no next one', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit(['a', 'b', 'c', 'd', 'e'].map((id) => birth(record(id))));
    const first = reads.runs({ tenant: 'acme', limit: 2 });
    await store.commit([birth(record('f'))]);
    const second = reads.runs({ tenant: 'acme', limit: 2, cursor: first.next });
    const third = reads.runs({ tenant: 'acme', limit: 2, cursor: second.next });
    const pages = [first, second, third].map((page) => page.items.map((run) => run.runId));
    expect(pages).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
    expect(third.next).toBeUndefined();
  });

  it('has no next page when the last one is exactly full', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a')), birth(record('b'))]);
    expect(reads.runs({ tenant: 'acme', limit: 2 })).not.toHaveProperty('next');
    expect(reads.runs({ tenant: 'nobody', limit: 2 })).toEqual({ items: [] });
  });

  it('lists runs as they are found one by one', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      slice('a', [created(record('a', { tags: ['x'] }), 3), created(childRecord('a.1', 'a'), 2)]),
    ]);
    expect(reads.runs({ tenant: 'acme', limit: 5 }).items).toEqual([
      reads.run('acme', 'a.1'),
      reads.run('acme', 'a'),
    ]);
  });

  it('tells what a run is to its parent', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      slice('a', [
        created(record('a'), 1),
        created(childRecord('a.1', 'a'), 1),
        created(childRecord('a.2', 'a', { role: 'critic' }), 1),
      ]),
    ]);
    const { items } = reads.runs({ tenant: 'acme', parentRunId: 'a', limit: 5 });
    expect(items.map((run) => run.role)).toEqual(['critic', undefined]);
    expect((await store.loadTree('a')).runs.map(({ row }) => row.role)).toEqual([
      undefined,
      undefined,
      'critic',
    ]);
  });

  it.each([true, false])('keeps whether the goal was met: %s', async (goalMet) => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      birth(record('at-once'), 1, { status: 'completed', goalMet }),
      birth(record('later')),
      birth(record('aimless')),
    ]);
    expect(reads.run('acme', 'later')).not.toHaveProperty('goalMet');
    await store.commit([
      slice('later', [advanced('later', 1, 1, { status: 'completed', goalMet })], {
        wake: { at: null, unfinished: false },
      }),
      slice('aimless', [advanced('aimless', 1, 1, { status: 'completed' })]),
    ]);
    expect(reads.run('acme', 'at-once')?.goalMet).toBe(goalMet);
    expect(reads.run('acme', 'later')?.goalMet).toBe(goalMet);
    expect(reads.run('acme', 'aimless')).not.toHaveProperty('goalMet');
  });

  it.each<[string, Partial<RunQuery>, string[]]>([
    ['a status', { status: 'failed' }, ['d', 'b']],
    ['the status that most runs have', { status: 'completed' }, ['a.2', 'a.1', 'a']],
    ['a workflow', { workflowId: 'demo.other' }, ['d', 'a.2']],
    ['a tag', { tag: 'red' }, ['c', 'a']],
    ['a tag that is part of another', { tag: 're' }, []],
    ['a parent', { parentRunId: 'a' }, ['a.2', 'a.1']],
    ['an unknown parent', { parentRunId: 'nobody' }, []],
    ['a status and a workflow', { status: 'failed', workflowId: 'demo.other' }, ['d']],
    ['a status and a tag', { status: 'running', tag: 'red' }, ['c']],
    ['a parent and a workflow', { parentRunId: 'a', workflowId: 'demo.other' }, ['a.2']],
    ['a parent and a status', { parentRunId: 'a', status: 'failed' }, []],
    [
      'everything at once',
      { parentRunId: 'a', status: 'completed', workflowId: 'demo.greet', tag: 'blue' },
      ['a.1'],
    ],
  ])('filters by %s', async (_, filter, expected) => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      slice('a', [
        created(record('a', { tags: ['blue', 'red'] }), 1, { status: 'completed' }),
        created(childRecord('a.1', 'a', { tags: ['blue'] }), 1, { status: 'completed' }),
        created(childRecord('a.2', 'a', { workflowId: 'demo.other' }), 1, { status: 'completed' }),
      ]),
      birth(record('b'), 1, { status: 'failed' }),
      birth(record('c', { tags: ['red'] }), 1),
      birth(record('d', { workflowId: 'demo.other' }), 1, { status: 'failed' }),
    ]);
    const query = { tenant: 'acme', limit: 10, ...filter };
    expect(reads.runs(query).items.map((run) => run.runId)).toEqual(expected);
    expect(onePerPage(reads, query)).toEqual(expected);
  });

  it.each(['nonsense', '', 'MA', 'LTE', 'MTIzIA', '%%%'])('refuses the cursor "%s"', async (cursor) => {
    const { reads } = await fresh(factory);
    expect(() => reads.runs({ tenant: 'acme', limit: 2, cursor })).toThrow(
      expect.objectContaining({
        code: 'validation_error',
        details: expect.objectContaining({ field: 'cursor' }),
      }),
    );
  });
}

function onePerPage(reads: StoreReads, query: RunQuery): string[] {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = reads.runs({ ...query, limit: 1, cursor });
    found.push(...page.items.map((run) => run.runId));
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}
