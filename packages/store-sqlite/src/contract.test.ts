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
