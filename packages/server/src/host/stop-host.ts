import type { FastifyInstance } from 'fastify';
import type { StandingAccess } from '../auth/standing-access.ts';
import { createDraining } from '../http/connections/draining.ts';
import { PATIENCE } from '../http/connections/limits.ts';
import type { HostContext } from '../http/context.ts';
import { createHandlersUnderWay } from '../http/handlers-under-way.ts';
import { createLingering } from '../http/lingering.ts';
import type { HostSettings } from '../settings.ts';
import type { StorageLock } from '../storage/open-storage.ts';
import type { ThreadedEngine } from '../thread/threaded-engine.ts';

/** The parts of a host that know which requests are under way. */
type StoppingParts = Pick<HostContext, 'lingering' | 'draining' | 'handlers'>;

export function stoppingParts(
  { patience }: Pick<HostSettings, 'patience'>,
  access: StandingAccess,
): StoppingParts {
  const { quietMs, stopMs } = { ...PATIENCE, ...patience };
  return {
    lingering: createLingering(access),
    draining: createDraining({ quietMs, patienceMs: stopMs, now: Date.now }),
    handlers: createHandlersUnderWay(),
  };
}

interface RunningParts
  extends StoppingParts,
    Pick<HostContext, 'reads' | 'webhooks' | 'models' | 'tools' | 'settings' | 'log'> {
  readonly engine: ThreadedEngine;
  readonly app: FastifyInstance;
  readonly lock: StorageLock;
  /** The parts that send messages to other hosts. */
  readonly sending: readonly { stop(): Promise<void> }[];
}

/** How long the calls of a host that shares its data are awaited. What is not over then is repeated by others. */
const DRAIN_MS = 30_000;

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/**
 * Answers the requests that have arrived, and then closes the parts of a host in the reverse order of their
 * start.
 */
export async function stopHost(parts: RunningParts): Promise<void> {
  const { app, lingering, draining, handlers, reads, engine, models, tools, lock, log } = parts;
  const { webhooks, sending, settings } = parts;
  await lock.membership?.drain().catch(() => undefined);
  lingering.close();
  await draining.drain();
  await handlers.close();
  await app.close();
  await webhooks.stop();
  for (const part of sending) await part.stop();
  if (lock.membership !== undefined) await atMost(settings.drainMs ?? DRAIN_MS, engine.drain());
  // The writer closes last: only the writer can move the write-ahead log into the database.
  await reads.close();
  await engine.stop();
  await models.stop();
  await tools.stop();
  await lock.release();
  log.info('baton has stopped');
}
