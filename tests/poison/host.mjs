import { DEFAULT_SETTINGS, startHost } from '@baton/server';
import { launch } from './launch.mjs';

/** A host in a process of its own, with an engine that can be poisoned. Says where it listens. */
const [dataFolder, apiKey] = process.argv.slice(2);
const host = await startHost(
  { ...DEFAULT_SETTINGS, port: 0, dataFolder, apiKey, logLevel: 'silent' },
  { launch },
);
console.log(host.url);
