import { storeContract } from '../../conformance/src/store-contract/index.ts';
import { openEmpty } from '../testing/empty-store.ts';

storeContract('SQLite', { open: async () => openEmpty() });
