import { seededRandom } from '../../../tests/durability/random.ts';
import { delayingReads, delayingStore } from '../../engine/src/ports/store-contract/delaying-store.ts';
import { storeContract } from '../../engine/src/ports/store-contract/index.ts';
import type { StoreUnderTest } from '../../engine/src/ports/store-contract/under-test.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { openSqliteReads, openSqliteStore } from './open.ts';

function openIn(folder: string): StoreUnderTest {
  const store = openSqliteStore(folder);
  const reads = openSqliteReads(folder);
  const close = async () => {
    await reads.close();
    await store.close();
  };
  return {
    store,
    reads,
    reopen: async () => {
      await close();
      return openIn(folder);
    },
    destroy: close,
  };
}

storeContract('SQLite', { open: async () => openIn(temporaryFolder()) });

/** Answers come after a random number of turns of the event loop. */
async function wait(share: number): Promise<void> {
  for (let turn = Math.floor(share * 4); turn > 0; turn -= 1)
    await new Promise((resolve) => setImmediate(resolve));
}

function delayed({ store, reads, reopen, destroy }: StoreUnderTest, random: () => number): StoreUnderTest {
  return {
    store: delayingStore(store, { random, wait }),
    reads: delayingReads(reads, { random, wait }),
    reopen: async () => delayed(await reopen(), random),
    destroy,
  };
}

storeContract('SQLite with late answers', {
  open: async () => delayed(openIn(temporaryFolder()), seededRandom(7).next),
});
