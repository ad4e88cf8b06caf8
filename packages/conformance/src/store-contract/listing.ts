import { expect, it } from 'vitest';
import type { RunQuery, RunReads } from '../../../engine/src/ports/reads/runs.ts';
import { advanced, birth, childRecord, created, record, slice, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

export function listingContract(factory: StoreFactory): void {
  it('lists newest first, page by page, and says when there is no next one', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit(['a', 'b', 'c', 'd', 'e'].map((id) => birth(record(id))));
    const first = await reads.runs({ tenant: 'acme', limit: 2 });
    await store.commit([birth(record('f'))]);
    const second = await reads.runs({ tenant: 'acme', limit: 2, cursor: first.next });
    const third = await reads.runs({ tenant: 'acme', limit: 2, cursor: second.next });
    const pages = [first, second, third].map((page) => page.items.map((run) => run.runId));
    expect(pages).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
    expect(third.next).toBeUndefined();
  });

  it('has no next page when the last one is exactly full', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a')), birth(record('b'))]);
    expect(await reads.runs({ tenant: 'acme', limit: 2 })).not.toHaveProperty('next');
    expect(await reads.runs({ tenant: 'nobody', limit: 2 })).toEqual({ items: [] });
  });

  it('lists runs as they are found one by one', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      slice('a', [created(record('a', { tags: ['x'] }), 3), created(childRecord('a.1', 'a'), 2)]),
    ]);
    expect((await reads.runs({ tenant: 'acme', limit: 5 })).items).toEqual([
      await reads.run('acme', 'a.1'),
      await reads.run('acme', 'a'),
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
    const { items } = await reads.runs({ tenant: 'acme', parentRunId: 'a', limit: 5 });
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
    expect(await reads.run('acme', 'later')).not.toHaveProperty('goalMet');
    await store.commit([
      slice('later', [advanced('later', 1, 1, { status: 'completed', goalMet })], {
        wake: { at: null, unfinished: false },
      }),
      slice('aimless', [advanced('aimless', 1, 1, { status: 'completed' })]),
    ]);
    expect((await reads.run('acme', 'at-once'))?.goalMet).toBe(goalMet);
    expect((await reads.run('acme', 'later'))?.goalMet).toBe(goalMet);
    expect(await reads.run('acme', 'aimless')).not.toHaveProperty('goalMet');
  });

  it.each<[string, Partial<RunQuery>, string[]]>([
    ['a status', { statuses: ['failed'] }, ['d', 'b']],
    ['the status that most runs have', { statuses: ['completed'] }, ['a.2', 'a.1', 'a']],
    ['a workflow', { workflowId: 'demo.other' }, ['d', 'a.2']],
    ['a tag', { tag: 'red' }, ['c', 'a']],
    ['a tag that is part of another', { tag: 're' }, []],
    ['a parent', { parentRunId: 'a' }, ['a.2', 'a.1']],
    ['an unknown parent', { parentRunId: 'nobody' }, []],
    ['a status and a workflow', { statuses: ['failed'], workflowId: 'demo.other' }, ['d']],
    ['a status and a tag', { statuses: ['running'], tag: 'red' }, ['c']],
    ['a parent and a workflow', { parentRunId: 'a', workflowId: 'demo.other' }, ['a.2']],
    ['a parent and a status', { parentRunId: 'a', statuses: ['failed'] }, []],
    ['several statuses', { statuses: ['running', 'failed'] }, ['d', 'c', 'b']],
    ['all statuses', { statuses: ['failed', 'completed', 'running'] }, ['d', 'c', 'b', 'a.2', 'a.1', 'a']],
    ['several statuses and a tag', { statuses: ['running', 'completed'], tag: 'red' }, ['c', 'a']],
    ['having no parent', { roots: true }, ['d', 'c', 'b', 'a']],
    ['a first time', { createdFrom: T0 + 1 }, ['d', 'c']],
    ['a last time', { createdBefore: T0 + 2 }, ['c', 'b', 'a.2', 'a.1', 'a']],
    ['a range of time', { createdFrom: T0 + 1, createdBefore: T0 + 2 }, ['c']],
    ['the beginning of a run id', { text: 'a.' }, ['a.2', 'a.1']],
    ['a part of a workflow id', { text: 'O.OTH' }, ['d', 'a.2']],
    ['a part of a tag', { text: 'lue' }, ['a.1', 'a']],
    ['a text with signs of a pattern', { text: '_.%' }, []],
    ['a text and a status', { text: 'red', statuses: ['completed'] }, ['a']],
    [
      'everything at once',
      { parentRunId: 'a', statuses: ['completed'], workflowId: 'demo.greet', tag: 'blue' },
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
      birth(record('c', { tags: ['red'], createdAt: T0 + 1 }), 1),
      birth(record('d', { workflowId: 'demo.other', createdAt: T0 + 2 }), 1, { status: 'failed' }),
    ]);
    const query = { tenant: 'acme', limit: 10, ...filter };
    expect((await reads.runs(query)).items.map((run) => run.runId)).toEqual(expected);
    expect(await onePerPage(reads, query)).toEqual(expected);
    expect(await onePerPage(reads, { ...query, within: 1 })).toEqual(expected);
    expect(await onePerPage(reads, { ...query, within: 2 })).toEqual(expected);
  });

  it('looks at a bounded number of runs for a page, and goes on there', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      birth(record('a', { workflowId: 'demo.rare' })),
      ...['b', 'c', 'd', 'e'].map((id) => birth(record(id))),
    ]);
    const query = { tenant: 'acme', workflowId: 'demo.rare', limit: 1, within: 3 };
    const first = await reads.runs(query);
    expect(first.items).toEqual([]);
    const second = await reads.runs({ ...query, cursor: first.next ?? '' });
    expect(second.items.map((run) => run.runId)).toEqual(['a']);
    expect(second.next).toBeUndefined();
    expect((await reads.runs({ ...query, within: undefined })).items).toHaveLength(1);
  });

  it.each(['nonsense', '', 'MA', 'LTE', 'MTIzIA', '%%%'])('refuses the cursor "%s"', async (cursor) => {
    const { reads } = await fresh(factory);
    await expect(reads.runs({ tenant: 'acme', limit: 2, cursor })).rejects.toThrow(
      expect.objectContaining({
        code: 'validation_error',
        details: expect.objectContaining({ field: 'cursor' }),
      }),
    );
  });
}

async function onePerPage(reads: RunReads, query: RunQuery): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await reads.runs({ ...query, limit: 1, cursor });
    found.push(...page.items.map((run) => run.runId));
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}
