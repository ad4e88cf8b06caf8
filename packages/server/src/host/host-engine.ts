import type { Effects } from '@baton/engine/ports';
import type { Logger } from 'pino';
import type { RecentEvents } from '../events/recent-events.ts';
import type { Metrics } from '../operations/metrics.ts';
import type { VaultContents } from '../secrets/host-vault.ts';
import type { EngineThread } from '../thread/launch.ts';
import { startThreadedEngine, type ThreadedEngine } from '../thread/threaded-engine.ts';
import type { SpanExport } from '../traces/span-export.ts';
import type { HostCluster } from './host-cluster.ts';

/** The parts of a host that its engine reports to. */
interface HostEngineParts {
  /** The contents of the vault at this moment. */
  readonly vault: () => VaultContents;
  /** The hosts that share the store. */
  readonly cluster: Pick<HostCluster, 'state' | 'follow'>;
  readonly effects: Effects;
  readonly metrics: Metrics;
  readonly recent: RecentEvents;
  readonly traces: SpanExport | undefined;
  readonly log: Logger;
}

/** Starts the engine of a host, with its metrics, its spans and its log. */
export async function startHostEngine(
  thread: EngineThread,
  { vault, cluster, effects, metrics, recent, traces, log }: HostEngineParts,
): Promise<ThreadedEngine> {
  const engine = await startThreadedEngine(thread.first, {
    launch: thread.launch,
    inHand: thread.inHand,
    watchdog: thread.watchdog,
    vault,
    cluster: cluster.state,
    effects,
    onFatal: (error) => abandon(log, error),
    onRestart(error, loss) {
      metrics.engineRestarts.inc();
      log.error({ err: error, ...loss }, 'the engine thread stopped; starting it again');
    },
    onLog: (level, message, fields) => relay(log, level, message, fields),
    onCommitted: (events) => metrics.eventsCommitted.inc(events),
    onFresh: recent.add,
    onSpans: traces?.add,
  });
  recent.tails.onFollowed(engine.tellFollowed);
  cluster.follow(engine);
  metrics.watchQueue(engine.inFlight);
  if (traces === undefined) return engine;
  // The last events of the engine end the last spans.
  return { ...engine, stop: () => engine.stop().finally(traces.stop) };
}

/**
 * A host without an engine cannot keep its promises, so the process ends. A restart recovers all committed
 * data.
 */
function abandon(log: Logger, error: Error): void {
  log.fatal({ err: error }, 'the engine stopped and cannot be started again; restart the host to recover');
  process.exit(1);
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

function relay(log: Logger, level: string, message: string, fields: Readonly<Record<string, unknown>>): void {
  const known = LEVELS.find((name) => name === level) ?? 'info';
  log[known](fields, message);
}
