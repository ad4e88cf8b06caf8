import { pino } from 'pino';
import { loadAuditKey } from './audit/key-file.ts';
import { createKeyring } from './auth/keyring.ts';
import { createOverlay } from './discovery/overlay.ts';
import { createFeed } from './events/feed.ts';
import { createRecentEvents, readingRecentFirst } from './events/recent-events.ts';
import { hostEffects } from './host/host-effects.ts';
import { startHostEngine } from './host/host-engine.ts';
import { hostSeams } from './host/host-seams.ts';
import { stopHost } from './host/stop-host.ts';
import { buildApp, type ObserveApp } from './http/app.ts';
import type { HostContext } from './http/context.ts';
import { createFairSchedule } from './http/fair-schedule.ts';
import { createLingering } from './http/lingering.ts';
import { bundleReader } from './imports/bundle-reader.ts';
import { readTrustedKeys } from './imports/trusted-keys.ts';
import { createInterruptTokens } from './interrupts/token.ts';
import { loadTokenKey } from './interrupts/token-key.ts';
import { createMetrics } from './operations/metrics.ts';
import { readinessOf } from './operations/readiness.ts';
import { liveChunks } from './progress/live-chunks.ts';
import { vaultContents, vaultOf } from './secrets/host-vault.ts';
import { redactedLines } from './secrets/redacted-log.ts';
import { tellingEvents, tellingWithout } from './secrets/told.ts';
import type { HostSettings } from './settings.ts';
import { storageAt } from './storage/open-storage.ts';
import type { EngineThread } from './thread/launch.ts';
import { type NamedDefinition, readWorkflowsFolder, registerAtStart } from './workflows/at-start.ts';
import { createShelf } from './workflows/shelf.ts';

/** A running host. */
export interface Host {
  readonly url: string;
  /** The number of trees that are held because they stopped the engine. */
  readonly heldRuns: number;
  /** Finishes open requests, ends streams and releases the data folder. */
  stop(): Promise<void>;
}

/** When a step fails, the steps before it are undone. */
export async function openHost(
  settings: HostSettings,
  thread: EngineThread,
  observe?: ObserveApp,
): Promise<Host> {
  const undo: Undo = [];
  try {
    return await open(settings, thread, undo, observe);
  } catch (error) {
    for (const step of undo.reverse()) await step();
    throw error;
  }
}

type Undo = (() => void | Promise<void>)[];

async function open(
  settings: HostSettings,
  thread: EngineThread,
  undo: Undo,
  observe?: ObserveApp,
): Promise<Host> {
  const { dataFolder, modelCache } = settings;
  const storage = storageAt({ kind: 'sqlite', folder: dataFolder });
  const lock = await storage.lock();
  undo.push(lock.release);
  // This comes before any key is made: keys without a database mean that the database was lost.
  await storage.prepare();
  const seams = await hostSeams(settings, thread);
  const contents = vaultContents(settings, seams.withCanary);
  const vault = vaultOf(contents);
  const log = pino({ level: settings.logLevel, hooks: { streamWrite: redactedLines(vault) } });
  // Loaded here and not in the engine thread, so that an unusable key is reported before the engine starts.
  const auditKey = loadAuditKey(dataFolder, settings.auditKeyFile);
  const recent = createRecentEvents();
  const metrics = createMetrics();
  const live = liveChunks();
  const { effects, mock, reuseAnswersOf } = hostEffects({
    modelCache,
    vault,
    metrics,
    live,
    more: seams.performers,
  });
  const engine = await startHostEngine(thread, { vault: contents, effects, metrics, recent, log });
  undo.push(engine.stop);

  const stored = await storage.openReads();
  reuseAnswersOf(stored);
  const telling = tellingWithout(vault);
  const reads = tellingEvents(readingRecentFirst(stored, recent), vault, telling);
  undo.push(reads.close);
  metrics.watchHeld(() => reads.heldCount());
  const shelf = createShelf();
  await registerAtStart(engine, shelf, definitionsIn(settings));

  const feed = createFeed();
  engine.onNotices(feed.publish);
  const lingering = createLingering();
  const knownKeys = [auditKey.pem, ...readTrustedKeys(settings.trustedKeysFile)];
  const bundles = bundleReader({ vault: contents, knownKeys, conformance: thread.conformance });
  undo.push(bundles.stop);
  const context: HostContext = {
    settings,
    engine,
    reads,
    stored,
    recent,
    feed,
    live,
    keyring: createKeyring(reads, settings.apiKey, Date.now),
    tokens: createInterruptTokens(loadTokenKey(dataFolder), settings.tokenTtlMs, Date.now),
    auditKey,
    bundles,
    shelf,
    vault,
    telling,
    overlay: createOverlay(),
    lingering,
    readiness: readinessOf({ isStopping: lingering.isClosed, check: engine.check }),
    turns: createFairSchedule(),
    metrics,
    mock,
    log,
  };
  const app = await buildApp(context, seams.routes, observe);
  const url = await app.listen({ host: settings.host, port: settings.port });
  log.info({ url, dataFolder }, 'baton is listening');
  // Recovery comes last. If a recovered run stops the engine, the host can still answer questions about it.
  await engine.recover();

  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= stopHost({ app, lingering, reads, bundles, engine, lock, log }));
  return { url, heldRuns: await reads.heldCount(), stop };
}

function definitionsIn({ builtinWorkflows = [], workflowsFolder }: HostSettings): readonly NamedDefinition[] {
  const builtin = builtinWorkflows.map((definition) => ({ source: 'built-in workflow', definition }));
  return workflowsFolder === undefined ? builtin : [...builtin, ...readWorkflowsFolder(workflowsFolder)];
}
