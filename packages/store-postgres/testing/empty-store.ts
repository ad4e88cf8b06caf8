import type { StoreUnderTest } from '../../conformance/src/store-contract/under-test.ts';
import { openPostgresReads, openPostgresStore, prepareDatabase } from '../src/open.ts';
import { emptyDatabase, type ServerVersion } from './postgres-server.ts';

let hosts = 0;

async function openAt(url: string, giveBack: () => Promise<void>): Promise<StoreUnderTest> {
  const hostNo = ++hosts;
  const store = await openPostgresStore(url, hostNo);
  const reads = await openPostgresReads(url, hostNo);
  const close = async () => {
    await reads.close();
    await store.close();
  };
  return {
    store,
    reads,
    reopen: async () => {
      await close();
      return openAt(url, giveBack);
    },
    destroy: async () => {
      await close();
      await giveBack();
    },
  };
}

/** An empty store for the contract, in a database of its own. */
export async function openEmpty(version: ServerVersion): Promise<StoreUnderTest> {
  const { url, giveBack } = await emptyDatabase(version, prepareDatabase);
  return openAt(url, giveBack);
}
