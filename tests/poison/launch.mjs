import { Worker } from 'node:worker_threads';

export function launch(settings) {
  return new Worker(new URL('./engine-thread.mjs', import.meta.url), {
    workerData: settings,
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
}
