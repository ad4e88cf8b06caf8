import { createRequire } from 'node:module';
import { DEFAULT_SETTINGS, startHost } from '@baton/server';

/** Starts a host, and tells how many files of OpenTelemetry and how many others it has loaded by then. */

const [dataFolder, traces] = process.argv.slice(2);
const host = await startHost({
  ...DEFAULT_SETTINGS,
  port: 0,
  dataFolder,
  apiKey: 'operator-key-for-tests',
  logLevel: 'silent',
  ...JSON.parse(traces),
});
const loaded = Object.keys(createRequire(import.meta.url).cache);
// The API is part of the client for Prometheus, and does nothing by itself.
const found = loaded.filter((file) => /@opentelemetry.(?!api.)/.test(file));
console.log(found.length, loaded.length - found.length);
await host.stop();
