import type { StoreUnderTest } from '../../conformance/src/store-contract/under-test.ts';
import { openSqliteReads, openSqliteStore } from '../src/open.ts';
import { temporaryFolder } from './temporary-folder.ts';

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

/** An empty store for the contract, in a folder of its own. */
export function openEmpty(): StoreUnderTest {
  return openIn(temporaryFolder());
}
