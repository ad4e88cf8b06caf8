import type { AgentShelf, ConnectedModels, ConnectedTools } from '@baton/agents';
import type { Engine, OpenVault, SigningKey } from '@baton/engine';
import type { ChangeFeed, StoreReads } from '@baton/engine/ports';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { RegisteredPushes } from '../a2a/push/registered-pushes.ts';
import type { Keyring } from '../auth/keyring.ts';
import type { ExtendedDiscovery } from '../discovery/extended.ts';
import type { Feed } from '../events/feed.ts';
import type { RecentEvents } from '../events/recent-events.ts';
import type { HostCluster } from '../host/host-cluster.ts';
import type { HostPeople } from '../host/host-people.ts';
import type { InterruptTokens } from '../interrupts/token.ts';
import type { Metrics } from '../operations/metrics.ts';
import type { Readiness } from '../operations/readiness.ts';
import type { LiveChunks } from '../progress/live-chunks.ts';
import type { ChangedRuns } from '../runs/watching/changed-runs.ts';
import type { TenantSecrets } from '../secrets/tenant-secrets.ts';
import type { Telling } from '../secrets/told.ts';
import type { HostSettings } from '../settings.ts';
import type { RegisteredWebhooks } from '../webhooks/registered-webhooks.ts';
import type { WorkflowShelf } from '../workflows/shelf.ts';
import type { Draining } from './connections/draining.ts';
import type { FairSchedule } from './fair-schedule.ts';
import type { HandlersUnderWay } from './handlers-under-way.ts';
import type { Lingering } from './lingering.ts';

/**
 * The parts of a running host that its routes use. Routes send commands to the engine and read from the
 * store.
 */
export interface HostContext {
  readonly settings: HostSettings;
  /** The id by which other hosts know this one. */
  readonly hostId: string;
  /** The key from which the secrets of reports of other hosts are derived. */
  readonly pushKey: Buffer;
  /** The address of this host for others, such as `https://baton.example.com`. Known once the host listens. */
  readonly publicUrl: () => string;
  readonly engine: Engine;
  readonly cluster: HostCluster;
  readonly reads: StoreReads;
  /** The same reads without the memory of recent events: an audit has to read the stored bytes. */
  readonly stored: StoreReads;
  readonly feed: Feed;
  readonly tails: Pick<RecentEvents['tails'], 'follow'>;
  readonly changedRuns: ChangedRuns;
  readonly live: LiveChunks;
  readonly keyring: Keyring;
  readonly people: HostPeople;
  readonly tokens: InterruptTokens;
  /** Signs exported bundles, and verifies the host's own signatures. */
  readonly auditKey: SigningKey;
  /** Changes of stored data, after they are durable. */
  readonly changes: ChangeFeed['changes'];
  readonly shelf: WorkflowShelf;
  readonly agents: AgentShelf;
  readonly models: ConnectedModels;
  readonly tools: ConnectedTools;
  readonly vault: OpenVault;
  readonly secrets: TenantSecrets;
  readonly webhooks: { readonly registered: RegisteredWebhooks; stop(): Promise<void> };
  /** Hides secrets in everything that leaves the host. `reads.events` has already applied it. */
  readonly telling: Telling;
  /** Where the states of A2A tasks are sent. */
  readonly pushes: RegisteredPushes;
  /** What is added to the product. */
  readonly extension: ExtendedDiscovery | undefined;
  readonly lingering: Lingering;
  readonly draining: Draining;
  readonly handlers: HandlersUnderWay;
  readonly readiness: () => Promise<Readiness>;
  readonly turns: FairSchedule;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Adds the routes of one area. */
export type Routes = (app: FastifyInstance, host: HostContext) => void;
