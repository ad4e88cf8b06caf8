import { expect, it } from 'vitest';
import type { MemoryChange } from '../../../engine/src/ports/memory.ts';
import { contents, forget, layers, memorySlice, write } from './example-memory.ts';
import { fresh, type StoreFactory } from './under-test.ts';

/** A scope that several runs share, and a scope that belongs to one run. */
const SCOPES = ['scope:notes', 'run:a'];

const changesOf = (scope: string): readonly MemoryChange[] => [
  write(scope, 1, 'dir/a', { tags: ['red'] }),
  write(scope, 2, 'dir/b', { tags: ['red', 'blue'] }),
  write(scope, 3, 'dir/a', { tags: ['blue'] }),
  forget(scope, 4, 'dir/b'),
  write(scope, 5, 'c', { tags: ['red'] }),
  write(scope, 6, 'dir/b', { tags: ['red'] }),
  forget(scope, 7, 'dir/a'),
  write(scope, 8, 'dir/a', { tags: ['red'] }),
];

/** For each version: all entries, those with the tag red, and those in the folder. */
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
  it.each(SCOPES)('reads every version of %s as it was, whatever has happened since', async (scope) => {
    const { store, reads } = await fresh(factory);
    for (const change of changesOf(scope)) await store.commit([memorySlice(change)]);
    for (const [version, [all, red, folder]] of EXPECTED.entries()) {
      const view = layers([scope, version]);
      expect(await contents(reads, view)).toEqual(all);
      expect(await contents(reads, view, { tag: 'red' })).toEqual(red);
      expect(await contents(reads, view, { prefix: 'dir/' })).toEqual(folder);
      expect(await contents(reads, view, { text: 'dir' })).toEqual(folder);
      for (const id of ['dir/a', 'dir/b', 'c']) {
        expect(await contents(reads, view, { id })).toEqual(all.filter((content) => content.startsWith(id)));
      }
    }
  });

  it.each(SCOPES)(
    'reads every version of %s at the time it was the newest just as afterwards',
    async (scope) => {
      const { store, reads } = await fresh(factory);
      for (const [index, change] of changesOf(scope).entries()) {
        await store.commit([memorySlice(change)]);
        const [all, red] = EXPECTED[index + 1] ?? [];
        expect(await contents(reads, layers([scope, index + 1]))).toEqual(all);
        expect(await contents(reads, layers([scope, index + 1]), { tag: 'red' })).toEqual(red);
      }
    },
  );
}
