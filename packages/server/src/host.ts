import { withUnsealedRequests } from '@baton/engine';
import type { ModelAnswerReads, Models } from '@baton/engine/ports';
import { type Logger, pino } from 'pino';
import { loadAuditKey } from './audit/key-file.ts';
import { createKeyring } from './auth/keyring.ts';
import { createOverlay } from './discovery/overlay.ts';
import { performEffects } from './effects.ts';
import { createFeed } from './events/feed.ts';
import { createRecentEvents, readingRecentFirst } from './events/recent-events.ts';
import { buildApp, type ObserveApp } from './http/app.ts';
import type { HostContext } from './http/context.ts';
import { createFairSchedule } from './http/fair-schedule.ts';
import { createLingering } from './http/lingering.ts';
import { bundleReader } from './imports/bundle-reader.ts';
import { readTrustedKeys } from './imports/trusted-keys.ts';
import { createInterruptTokens } from './interrupts/token.ts';
import { loadTokenKey } from './interrupts/token-key.ts';
import { createMockProvider } from './models/mock.ts';
import { modelCalls } from './models/model-calls.ts';
import { createMetrics } from './operations/metrics.ts';
import { readinessOf } from './operations/readiness.ts';
import { SEAM_PERFORMERS } from './seams/side-effect.ts';
import { vaultContents, vaultOf } from './secrets/host-vault.ts';
import { redactedLines } from './secrets/redacted-log.ts';
import { tellingEvents, tellingWithout } from './secrets/told.ts';
import type { HostSettings } from './settings.ts';
import { storageAt } from './storage/open-storage.ts';
import type { EngineThread } from './thread/launch.ts';
import { startThreadedEngine } from './thread/threaded-engine.ts';
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

/** Requests that have not finished by then are cut off. */
const STOP_PATIENCE_MS = 4000;
const STOP_SWEEP_MS = 20;

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
  const { dataFolder } = settings;
  const storage = storageAt({ kind: 'sqlite', folder: dataFolder });
  const lock = await storage.lock();
  undo.push(lock.release);
  // This comes before any key is made: keys without a database mean that the database was lost.
  await storage.prepare();
  const contents = vaultContents(settings);
  const vault = vaultOf(contents);
  const log = pino({ level: settings.logLevel, hooks: { streamWrite: redactedLines(vault) } });
  // Loaded here and not in the engine thread, so that an unusable key is reported before the engine starts.
  const auditKey = loadAuditKey(dataFolder, settings.auditKeyFile);
  const recent = createRecentEvents();
  const metrics = createMetrics();
  const mock = createMockProvider();
  const models: Models = { provider: (id) => (id === 'mock' ? mock : undefined) };
  // Effects that a crash left open are performed before the store can be read: their models are asked again.
  let answers: ModelAnswerReads | undefined;
  const reuse = settings.modelCache === 'tenant';
  const performers = {
    ...(thread.conformance && SEAM_PERFORMERS),
    'model.call': modelCalls(
      models,
      reuse ? async (tenant, key) => answers?.modelAnswer(tenant, key) : undefined,
    ),
  };
  const engine = await startThreadedEngine(thread.first, {
    launch: thread.launch,
    inHand: thread.inHand,
    watchdog: thread.watchdog,
    vault: contents,
    effects: withUnsealedRequests(
      performEffects(performers, (kind) => metrics.effectsPerformed.inc({ kind })),
      vault,
    ),
    onFatal: (error) => abandon(log, error),
    onRestart(error, loss) {
      metrics.engineRestarts.inc();
      log.error({ err: error, ...loss }, 'the engine thread stopped; starting it again');
    },
    onLog: (level, message, fields) => relay(log, level, message, fields),
    onCommitted: (events) => metrics.eventsCommitted.inc(events),
    onFresh: recent.add,
  });
  undo.push(engine.stop);
  metrics.watchQueue(engine.inFlight);

  const stored = await storage.openReads();
  answers = stored;
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
  const app = await buildApp(context, observe);
  const url = await app.listen({ host: settings.host, port: settings.port });
  log.info({ url, dataFolder }, 'baton is listening');
  // Recovery comes last. If a recovered run stops the engine, the host can still answer questions about it.
  await engine.recover();

  let stopping: Promise<void> | undefined;
  async function stop(): Promise<void> {
    lingering.close();
    const cutOff = setTimeout(() => app.server.closeAllConnections(), STOP_PATIENCE_MS);
    // Node closes the connections that are idle when the server closes, and not those that become idle later.
    const sweep = setInterval(() => app.server.closeIdleConnections(), STOP_SWEEP_MS);
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
  const heldRuns = await reads.heldCount();
  return { url, heldRuns, stop: () => (stopping ??= stop()) };
}

function definitionsIn({ builtinWorkflows = [], workflowsFolder }: HostSettings): readonly NamedDefinition[] {
  const builtin = builtinWorkflows.map((definition) => ({ source: 'built-in workflow', definition }));
  return workflowsFolder === undefined ? builtin : [...builtin, ...readWorkflowsFolder(workflowsFolder)];
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
