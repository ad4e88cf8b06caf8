import { parentPort, workerData } from 'node:worker_threads';
import { storageAt } from '@baton/server/storage';
import { runEngineThread } from '../../packages/server/dist/thread/run-engine-thread.js';
import { poisoned } from './poisoned-store.mjs';

/** The engine's thread as it is, over a store that can be poisoned. */
await runEngineThread(parentPort, workerData, async (location) =>
  poisoned(await storageAt(location).openStore(), location.folder),
);
