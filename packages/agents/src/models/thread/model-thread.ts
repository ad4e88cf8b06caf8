import { parentPort } from 'node:worker_threads';
import { commonPace } from '../pace.ts';
import { realLater } from '../timers.ts';
import { vendorsHere } from '../vendors.ts';
import { runModelThread } from './run-model-thread.ts';

const port = parentPort ?? process.exit(1);
runModelThread(port, vendorsHere({ later: realLater, now: Date.now, pace: commonPace(realLater) }));
