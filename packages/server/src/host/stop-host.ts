import type { FastifyInstance } from 'fastify';
import type { HostContext } from '../http/context.ts';
import type { StorageLock } from '../storage/open-storage.ts';

/** Requests that have not finished by then are cut off. */
const PATIENCE_MS = 4000;
const SWEEP_MS = 20;

interface RunningParts extends Pick<HostContext, 'lingering' | 'reads' | 'bundles' | 'engine' | 'log'> {
  readonly app: FastifyInstance;
  readonly lock: StorageLock;
}

/** Finishes open requests, and then closes the parts of a host in the reverse order of their start. */
export async function stopHost({
  app,
  lingering,
  reads,
  bundles,
  engine,
  lock,
  log,
}: RunningParts): Promise<void> {
  lingering.close();
  const cutOff = setTimeout(() => app.server.closeAllConnections(), PATIENCE_MS);
  // Node closes the connections that are idle when the server closes, and not those that become idle later.
  const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
  await app.close();
  clearTimeout(cutOff);
  clearInterval(sweep);
  // The writer closes last: only the writer can move the write-ahead log into the database.
  await reads.close();
  await bundles.stop();
  await engine.stop();
  await lock.release();
  log.info('baton has stopped');
}
