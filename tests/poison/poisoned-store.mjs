import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { StorageFullError } from '@baton/engine';

/**
 * A store that stops the engine when a run recalls a certain entry: it stands for every defect that nobody has thought
 * of. `poison:stall` never comes back, `poison:memory` uses all memory, `poison:kill` ends the process at once.
 * While there is a file `disk-is-full` in its folder, nothing can be written.
 */
export function poisoned(store, folder) {
  async function findRoom() {
    if (existsSync(join(folder, 'disk-is-full'))) throw new StorageFullError();
  }
  return {
    ...store,
    commit: async (slices) => findRoom().then(() => store.commit(slices)),
    checkWritable: async () => findRoom().then(() => store.checkWritable()),
    memory(query) {
      if (query.id === 'poison:stall') for (;;);
      if (query.id === 'poison:memory') exhaust();
      if (query.id === 'poison:kill') {
        writeSync(1, 'poisoned\n');
        process.kill(process.pid, 'SIGKILL');
        for (;;);
      }
      return store.memory(query);
    },
  };
}

function exhaust() {
  const kept = [];
  for (;;) kept.push(new Array(100_000).fill({}));
}
