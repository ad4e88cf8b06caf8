import { expect, it } from 'vitest';
import type { MemoryChange } from '../memory.ts';
import { contents, forget, layers, memorySlice, write } from './example-memory.ts';
import { fresh, type StoreFactory } from './under-test.ts';

const SCOPE = 'scope:notes';

const CHANGES: readonly MemoryChange[] = [
  write(SCOPE, 1, 'dir/a', { tags: ['red'] }),
  write(SCOPE, 2, 'dir/b', { tags: ['red', 'blue'] }),
  write(SCOPE, 3, 'dir/a', { tags: ['blue'] }),
  forget(SCOPE, 4, 'dir/b'),
  write(SCOPE, 5, 'c', { tags: ['red'] }),
  write(SCOPE, 6, 'dir/b', { tags: ['red'] }),
  forget(SCOPE, 7, 'dir/a'),
  write(SCOPE, 8, 'dir/a', { tags: ['red'] }),
];

/** For each version: all there was, what was tagged red, and what lay in the folder. */
const EXPECTED: readonly (readonly [all: string[], red: string[], folder: string[]])[] = [
  [[], [], []],
  [['dir/a in 1'], ['dir/a in 1'], ['dir/a in 1']],
  [
    ['dir/b in 2', 'dir/a in 1'],
    ['dir/b in 2', 'dir/a in 1'],
    ['dir/b in 2', 'dir/a in 1'],
  ],
  [['dir/a in 3', 'dir/b in 2'], ['dir/b in 2'], ['dir/a in 3', 'dir/b in 2']],
  [['dir/a in 3'], [], ['dir/a in 3']],
  [['c in 5', 'dir/a in 3'], ['c in 5'], ['dir/a in 3']],
  [
    ['dir/b in 6', 'c in 5', 'dir/a in 3'],
    ['dir/b in 6', 'c in 5'],
    ['dir/b in 6', 'dir/a in 3'],
  ],
  [['dir/b in 6', 'c in 5'], ['dir/b in 6', 'c in 5'], ['dir/b in 6']],
  [
    ['dir/a in 8', 'dir/b in 6', 'c in 5'],
    ['dir/a in 8', 'dir/b in 6', 'c in 5'],
    ['dir/a in 8', 'dir/b in 6'],
  ],
];

export function memoryHistoryContract(factory: StoreFactory): void {
  it('reads every version as it was, whatever has happened since', async () => {
    const { store, reads } = await fresh(factory);
    for (const change of CHANGES) await store.commit([memorySlice(change)]);
    for (const [version, [all, red, folder]] of EXPECTED.entries()) {
      const view = layers([SCOPE, version]);
      expect(contents(reads, view)).toEqual(all);
      expect(contents(reads, view, { tag: 'red' })).toEqual(red);
      expect(contents(reads, view, { prefix: 'dir/' })).toEqual(folder);
      expect(contents(reads, view, { text: 'dir' })).toEqual(folder);
      for (const id of ['dir/a', 'dir/b', 'c']) {
        expect(contents(reads, view, { id })).toEqual(all.filter((content) => content.startsWith(id)));
      }
    }
  });

  it('reads every version at the time it was the newest just as afterwards', async () => {
    const { store, reads } = await fresh(factory);
    for (const [index, change] of CHANGES.entries()) {
      await store.commit([memorySlice(change)]);
      const [all, red] = EXPECTED[index + 1] ?? [];
      expect(contents(reads, layers([SCOPE, index + 1]))).toEqual(all);
      expect(contents(reads, layers([SCOPE, index + 1]), { tag: 'red' })).toEqual(red);
    }
  });
}
