import { afterAll } from 'vitest';
import { seededRandom } from '../../../tests/durability/random.ts';
import { delayingReads, delayingStore } from '../../engine/src/ports/store-contract/delaying-store.ts';
import { storeContract } from '../../engine/src/ports/store-contract/index.ts';
import type { StoreUnderTest } from '../../engine/src/ports/store-contract/under-test.ts';
import { emptyDatabase, type ServerVersion, stopServers } from '../testing/postgres-server.ts';
import { openPostgresReads, openPostgresStore, prepareDatabase } from './open.ts';

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

async function openEmpty(version: ServerVersion): Promise<StoreUnderTest> {
  const { url, giveBack } = await emptyDatabase(version, prepareDatabase);
  return openAt(url, giveBack);
}

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

afterAll(stopServers);

storeContract('Postgres 18', { open: () => openEmpty(18) });
storeContract('Postgres 15 with late answers', {
  open: async () => delayed(await openEmpty(15), seededRandom(7).next),
});
