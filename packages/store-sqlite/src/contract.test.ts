import { storeContract } from '../../engine/src/ports/store-contract/index.ts';
import { openEmpty } from '../testing/empty-store.ts';

storeContract('SQLite', { open: async () => openEmpty() });
