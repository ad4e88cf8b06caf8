import { expect, it } from 'vitest';
import type { MemoryQuery, MemoryView } from '../../../engine/src/ports/memory.ts';
import { contents, find, forget, layers, memorySlice, write } from './example-memory.ts';
import { T0 } from './example-slices.ts';
import { fresh, type StoreFactory, type StoreUnderTest } from './under-test.ts';

const LOW = 'scope:low';
const MIDDLE = 'run:a';
const TOP = 'run:a.1';
const VIEW = layers([TOP, 3], [MIDDLE, 4], [LOW, 6]);

/** The names of the scopes that begin with a text, as a page of them. */
const namesOf = async ({ reads }: StoreUnderTest, ...given: [limit: number, after?: string]) =>
  (await reads.scopes('acme', 'scope:', ...given)).map(({ name }) => name);

/** Three layers with different values for most entries. */
async function layered(factory: StoreFactory): Promise<StoreUnderTest> {
  const opened = await fresh(factory);
  const tags = ['t'];
  await opened.store.commit([
    memorySlice(
      ...['one', 'two', 'three', 'four', 'five', 'six'].map((id, index) =>
        write(LOW, index + 1, id, { content: `low ${id}`, tags }),
      ),
    ),
    memorySlice(
      write(MIDDLE, 1, 'two', { content: 'middle two', tags }),
      write(MIDDLE, 2, 'three', { content: 'middle three', tags }),
      forget(MIDDLE, 3, 'four'),
      write(MIDDLE, 4, 'five', { content: 'middle five', tags, expiresAt: T0 + 500 }),
    ),
    memorySlice(
      write(TOP, 1, 'three', { content: 'top three', tags }),
      write(TOP, 2, 'four', { content: 'top four', tags }),
      forget(TOP, 3, 'six'),
    ),
  ]);
  return opened;
}

export function memoryViewContract(factory: StoreFactory): void {
  it('lists scopes by name, without those of other kinds', async () => {
    const opened = await fresh(factory);
    await opened.store.commit([
      memorySlice(write('scope:b', 1, 'k')),
      memorySlice(write('scope:a', 1, 'k'), write('scope:a', 2, 'k')),
      memorySlice(write('scope:c', 1, 'k')),
      memorySlice(write('run:a', 1, 'k')),
      memorySlice(write('workspace:default', 1, 'k')),
    ]);
    expect(await opened.reads.scopes('acme', 'scope:', 2)).toEqual([
      { name: 'scope:a', version: 2, oldest: 0 },
      { name: 'scope:b', version: 1, oldest: 0 },
    ]);
    expect(await namesOf(opened, 2, 'scope:b')).toEqual(['scope:c']);
    expect(await namesOf(opened, 10)).toEqual(['scope:a', 'scope:b', 'scope:c']);
  });

  const all = ['top four', 'top three', 'middle two', 'low one'];
  const early = ['top four', 'top three', 'middle five', 'middle two', 'low one'];

  it.each<[string, Partial<MemoryQuery>, string[]]>([
    ['everything', {}, all],
    ['what has a tag', { tag: 't' }, all],
    ['what begins so', { prefix: '' }, all],
    ['the first of them', { limit: 3 }, all.slice(0, 3)],
    ['none of them', { limit: 0 }, []],
    ['what had not expired at the time', { now: T0 + 499 }, early],
    ['what expires at that very time, no longer', { now: T0 + 500 }, all],
    ['an entry of the top', { id: 'three' }, ['top three']],
    ['an entry of the middle', { id: 'two' }, ['middle two']],
    ['an entry of the bottom', { id: 'one' }, ['low one']],
    ['an entry that came back above where it was forgotten', { id: 'four' }, ['top four']],
    ['an entry that expired above', { id: 'five' }, []],
    ['an entry that was forgotten above', { id: 'six' }, []],
    ['words of hidden entries', { text: 'low' }, ['low one']],
    ['an entry with a tag and a prefix', { id: 'three', tag: 't', prefix: 'th' }, ['top three']],
    ['an entry without the tag', { id: 'three', tag: 'other' }, []],
    ['words in an entry with a tag', { text: 'top', tag: 't', prefix: 'f' }, ['top four']],
  ])('finds %s', async (_, query, expected) => {
    const { store, reads } = await layered(factory);
    expect(await contents(reads, VIEW, query)).toEqual(expected);
    const later = await store.memory({ tenant: 'acme', view: VIEW, now: T0 + 1000, limit: 100, ...query });
    expect(later.map((row) => row.content)).toEqual(expected);
  });

  it('judges the expiry of a layer at its own time, if it has one', async () => {
    const { reads } = await layered(factory);
    const at = (time: number) => layers([TOP, 3], [MIDDLE, 4, time], [LOW, 6]);
    for (const query of [{}, { tag: 't' }, { prefix: '' }]) {
      expect(await contents(reads, at(T0 + 499), query)).toEqual(early);
      expect(await contents(reads, at(T0 + 500), { ...query, now: T0 })).toEqual(all);
    }
    expect(await contents(reads, at(T0 + 499), { id: 'five' })).toEqual(['middle five']);
    expect(await contents(reads, at(T0 + 499), { text: 'middle five' })).toEqual(['middle five']);
  });

  it('lets time go on in a layer from its own time, and tells when what is in it expires there', async () => {
    const { reads } = await layered(factory);
    const since = T0 + 1_000_000;
    const view = layers([MIDDLE, 4]).map((layer) => ({ ...layer, at: T0 + 400, since }));
    const [before] = await find(reads, layers([MIDDLE, 4, T0 + 400]), { id: 'five' });
    expect(await find(reads, view, { id: 'five', now: since + 99 })).toEqual([
      { ...before, expiresAt: since + 100 },
    ]);
    expect(await find(reads, view, { id: 'five', now: since + 100 })).toEqual([]);
    // A clock that was set back does not make entries expire earlier.
    expect(await find(reads, view, { id: 'five', now: since - 5000 })).toHaveLength(1);
  });

  it('hides only what an upper layer said up to its version', async () => {
    const { reads } = await layered(factory);
    const view = layers([TOP, 1], [MIDDLE, 2], [LOW, 4]);
    expect(await contents(reads, view)).toEqual(['top three', 'middle two', 'low four', 'low one']);
  });

  it.each<[string, MemoryView]>([
    ['no layers', []],
    ['an unknown scope', layers(['scope:nothing', 4])],
    ['a name that is no scope', layers(['', 4], ['%', 4], ["' OR 1=1 --", 4], ['low', 4])],
    ['a version before the first', layers([LOW, 0])],
  ])('finds nothing in %s', async (_, view) => {
    const { reads } = await layered(factory);
    for (const query of [{}, { id: 'one' }, { tag: 't' }, { text: 'low' }, { prefix: 'o' }]) {
      expect(await find(reads, view, query)).toEqual([]);
    }
  });

  it('reads the layers that are there when others are not, and the present when a version is not yet', async () => {
    const { reads } = await layered(factory);
    expect(await contents(reads, layers(['scope:nothing', 9], [TOP, 99]))).toEqual(['top four', 'top three']);
  });

  it('hides nothing with the scopes of somebody else', async () => {
    const { store, reads } = await layered(factory);
    await store.commit([memorySlice(write('run:theirs', 1, 'one', { tenant: 'other' }))]);
    const view = layers(['run:theirs', 1], [LOW, 1]);
    expect(await contents(reads, view)).toEqual(['low one']);
    expect(await contents(reads, view, { tenant: 'other' })).toEqual(['one in 1']);
  });
}
