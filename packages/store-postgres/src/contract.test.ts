import { afterAll } from 'vitest';
import { storeContract } from '../../conformance/src/store-contract/index.ts';
import { openEmpty } from '../testing/empty-store.ts';
import { stopServers } from '../testing/postgres-server.ts';

afterAll(stopServers);

storeContract('Postgres 18', { open: () => openEmpty(18) });
