import { seededRandom } from '../../../tests/durability/random.ts';
import { delayed } from '../../engine/src/ports/store-contract/delaying-store.ts';
import { storeContract } from '../../engine/src/ports/store-contract/index.ts';
import { openEmpty } from '../testing/empty-store.ts';

storeContract('SQLite with late answers', {
  open: async () => delayed(openEmpty(), seededRandom(7).next),
});
