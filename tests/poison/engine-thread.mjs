import { parentPort, workerData } from 'node:worker_threads';
import { openSqliteStore } from '@baton/store-sqlite';
import { runEngineThread } from '../../packages/server/dist/thread/run-engine-thread.js';
import { poisoned } from './poisoned-store.mjs';

/** The engine's thread as it is, over a store that can be poisoned. */
await runEngineThread(parentPort, workerData, (folder) => poisoned(openSqliteStore(folder), folder));
