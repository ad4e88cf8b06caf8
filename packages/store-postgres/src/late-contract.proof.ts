import { afterAll } from 'vitest';
import { seededRandom } from '../../../tests/durability/random.ts';
import { delayed } from '../../engine/src/ports/store-contract/delaying-store.ts';
import { storeContract } from '../../engine/src/ports/store-contract/index.ts';
import { openEmpty } from '../testing/empty-store.ts';
import { stopServers } from '../testing/postgres-server.ts';

afterAll(stopServers);

storeContract('Postgres 15 with late answers', {
  open: async () => delayed(await openEmpty(15), seededRandom(7).next),
});
