import { parentPort, workerData } from 'node:worker_threads';
import type { EngineThreadSettings } from './messages.ts';
import { runEngineThread } from './run-engine-thread.ts';

const port = parentPort ?? process.exit(1);
await runEngineThread(port, workerData as EngineThreadSettings);
