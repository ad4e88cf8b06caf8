import type { FastifyInstance } from 'fastify';
import { createDraining } from '../http/connections/draining.ts';
import { PATIENCE } from '../http/connections/limits.ts';
import type { HostContext } from '../http/context.ts';
import { createHandlersUnderWay } from '../http/handlers-under-way.ts';
import { createLingering } from '../http/lingering.ts';
import type { HostSettings } from '../settings.ts';
import type { StorageLock } from '../storage/open-storage.ts';

/** The parts of a host that know which requests are under way. */
type StoppingParts = Pick<HostContext, 'lingering' | 'draining' | 'handlers'>;

export function stoppingParts({ patience }: Pick<HostSettings, 'patience'>): StoppingParts {
  const { quietMs, stopMs } = { ...PATIENCE, ...patience };
  return {
    lingering: createLingering(),
    draining: createDraining({ quietMs, patienceMs: stopMs, now: Date.now }),
    handlers: createHandlersUnderWay(),
  };
}

interface RunningParts
  extends StoppingParts,
    Pick<HostContext, 'reads' | 'webhooks' | 'bundles' | 'engine' | 'models' | 'tools' | 'log'> {
  readonly app: FastifyInstance;
  readonly lock: StorageLock;
  /** Stops sending the states of tasks to their callers. */
  readonly stopPushes: () => Promise<void>;
}

/**
 * Answers the requests that have arrived, and then closes the parts of a host in the reverse order of their
 * start.
 */
export async function stopHost(parts: RunningParts): Promise<void> {
  const { app, lingering, draining, handlers, reads, bundles, engine, models, tools, lock, log } = parts;
  const { webhooks, stopPushes } = parts;
  lingering.close();
  await draining.drain();
  await handlers.close();
  await app.close();
  await webhooks.stop();
  await stopPushes();
  // The writer closes last: only the writer can move the write-ahead log into the database.
  await reads.close();
  await bundles.stop();
  await engine.stop();
  await models.stop();
  await tools.stop();
  await lock.release();
  log.info('baton has stopped');
}
