import { hostname } from 'node:os';
import { agentShelf, type LaunchModelThread } from '@baton/agents';
import { pino } from 'pino';
import { loadAuditKey } from './audit/key-file.ts';
import { createRecentEvents } from './events/recent-events.ts';
import { hostAgents } from './host/host-agents.ts';
import { hostCallers } from './host/host-callers.ts';
import { hostCluster } from './host/host-cluster.ts';
import { hostEffects } from './host/host-effects.ts';
import { startHostEngine } from './host/host-engine.ts';
import type { HostExtension } from './host/host-extension.ts';
import { hostFeed } from './host/host-feed.ts';
import { hostHandoffs } from './host/host-handoffs.ts';
import { hostPushes } from './host/host-pushes.ts';
import { hostReads } from './host/host-reads.ts';
import { hostTraces } from './host/host-traces.ts';
import { registerSettled } from './host/register-at-start.ts';
import { stopHost, stoppingParts } from './host/stop-host.ts';
import { buildApp, type ObserveApp } from './http/app.ts';
import type { HostContext } from './http/context.ts';
import { createInterruptTokens, loadTokenKey } from './interrupts/token.ts';
import { createMetrics } from './operations/metrics.ts';
import { readinessOf } from './operations/readiness.ts';
import { liveChunks } from './progress/live-chunks.ts';
import { openHostVault } from './secrets/host-vault.ts';
import { redactedLines } from './secrets/redacted-log.ts';
import { type HostSettings, locationIn } from './settings.ts';
import { LEASE_MS } from './storage/membership.ts';
import { storageAt } from './storage/open-storage.ts';
import { hostExtension } from './thread/extension.ts';
import type { EngineThread } from './thread/launch.ts';
import { VERSION } from './version.ts';
import { createShelf } from './workflows/shelf.ts';

/** A running host. */
export interface Host {
  readonly url: string;
  /** The number of trees that are held because they stopped the engine. */
  readonly heldRuns: number;
  /**
   * The address of the console with a code that signs a browser in as the operator, once. Without a lifetime, the
   * code is valid until it is used or the host stops.
   */
  operatorLink(lifetimeMs?: number): string;
  /** Finishes open requests, ends streams and releases the data folder. */
  stop(): Promise<void>;
}

/** Parts that tests replace. */
export interface ReplacedParts {
  readonly observe?: ObserveApp | undefined;
  readonly launchModels?: LaunchModelThread | undefined;
}

/** When a step fails, the steps before it are undone. */
export async function openHost(
  settings: HostSettings,
  thread: EngineThread,
  parts: ReplacedParts,
): Promise<Host> {
  const undo: Undo = [];
  try {
    return await open(settings, thread, undo, parts);
  } catch (error) {
    for (const step of undo.reverse()) await step();
    throw error;
  }
}

interface InsideParts
  extends Pick<HostContext, 'vault' | 'auditKey' | 'pushKey' | 'log' | 'metrics' | 'live'> {
  readonly launchModels: ReplacedParts['launchModels'];
}

/** The models, tools and other hosts that runs use, and the effects with which they use them. */
function hostOutside(
  settings: HostSettings,
  extension: HostExtension | undefined,
  { vault, auditKey, pushKey, log, metrics, live, launchModels }: InsideParts,
  undo: Undo,
) {
  const agents = hostAgents(settings, { vault, log, extension, launchModels });
  undo.push(agents.tools.stop, agents.models.stop);
  const handoffs = hostHandoffs({ vault, auditKey, pushKey, log });
  undo.push(handoffs.stop);
  const more = { ...extension?.performers, ...handoffs.performers };
  return { agents, handoffs, ...hostEffects({ ...agents, settings, vault, metrics, live, more }) };
}

type Undo = (() => void | Promise<void>)[];

async function lockStorage(settings: HostSettings, undo: Undo) {
  const storage = storageAt(locationIn(settings));
  const lock = await storage.lock({
    name: `${hostname()}:${settings.port}`,
    version: VERSION,
    leaseMs: settings.leaseMs ?? LEASE_MS,
  });
  undo.push(lock.release);
  // This comes before any key is made: keys without a database mean that the database was lost.
  await storage.prepare();
  return { storage, lock };
}

async function open(
  settings: HostSettings,
  thread: EngineThread,
  undo: Undo,
  { observe, launchModels }: ReplacedParts,
): Promise<Host> {
  const { storage, lock } = await lockStorage(settings, undo);
  const extension = await hostExtension(thread.extension);
  const seams = settings.testSeams ? extension : undefined;
  const { vault, present } = await openHostVault(storage, settings, seams?.withSecrets);
  const log = pino({ level: settings.logLevel, hooks: { streamWrite: redactedLines(vault) } });
  // Loaded here and not in the engine thread, so that an unusable key is reported before the engine starts.
  const auditKey = await loadAuditKey(storage, settings.auditKeyFile);
  const pushKey = await loadTokenKey(storage);
  const recent = createRecentEvents();
  const metrics = createMetrics();
  const live = liveChunks();
  const inside = { vault, auditKey, pushKey, log, metrics, live, launchModels };
  const { agents, handoffs, effects, readFrom } = hostOutside(settings, extension, inside, undo);
  const traces = await hostTraces(settings, { vault, metrics, log });
  const cluster = await hostCluster(lock.membership, { settings, auditKey, metrics, log });
  const inEngine = { vault: present, cluster, effects, metrics, recent, traces, log };
  const engine = await startHostEngine(thread, inEngine);
  undo.push(engine.stop);

  const stored = await storage.openReads();
  readFrom(stored);
  undo.push(stored.close);
  const reading = await hostReads({ storage, stored, recent, engine, vault, settings, log });
  undo.push(reading.webhooks.stop);
  const { reads } = reading;
  metrics.watchHeld(() => reads.heldCount());
  const publicUrl = () => settings.publicUrl ?? app.listeningOrigin;
  const callers = await hostCallers({ settings, auditKey, pushKey, reads, engine, storage, publicUrl, log });
  handoffs.open({ reads, engine, hostId: callers.hostId, publicUrl });
  await registerSettled(engine, settings, cluster.size() > 1);
  const pushes = hostPushes({ ...reading, engine, settings, log, host: () => context });
  undo.push(pushes.stop);

  const stopping = stoppingParts(settings, callers.access);
  const context: HostContext = {
    settings,
    publicUrl,
    pushKey,
    engine,
    changes: engine.changes,
    stored,
    ...hostFeed({ ...reading, engine, log }),
    live,
    ...callers,
    tokens: createInterruptTokens(pushKey, settings.tokenTtlMs, Date.now),
    auditKey,
    shelf: createShelf(engine),
    agents: agentShelf(reads),
    ...agents,
    vault,
    ...reading,
    cluster,
    pushes: pushes.registered,
    extension,
    ...stopping,
    readiness: readinessOf({ isStopping: stopping.lingering.isClosed, check: engine.check }),
    metrics,
    log,
  };
  const app = await buildApp(context, seams?.routes, observe);
  const url = await app.listen({ host: settings.host, port: settings.port });
  await cluster.listens(publicUrl());
  log.info({ url, storage: storage.name }, 'baton is listening');
  // Recovery comes last. If a recovered run stops the engine, the host can still answer questions about it.
  for (const begin of [engine.recover, reading.webhooks.start, pushes.start, handoffs.start]) await begin();

  let stopped: Promise<void> | undefined;
  const sending = [pushes, handoffs, callers.people];
  const stop = () => (stopped ??= stopHost({ ...context, app, engine, lock, sending }));
  return { url, heldRuns: await reads.heldCount(), operatorLink: callers.operatorLink, stop };
}
