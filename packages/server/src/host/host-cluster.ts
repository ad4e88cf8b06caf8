import type { SigningKey } from '@baton/engine';
import type { Logger } from 'pino';
import type { Metrics } from '../operations/metrics.ts';
import type { HostSettings } from '../settings.ts';
import type { HostRow, Membership, Tick } from '../storage/membership.ts';
import type { ClusterState } from '../thread/messages.ts';
import type { ThreadedEngine } from '../thread/threaded-engine.ts';

/** The hosts that share the data of this one. */
export interface HostCluster {
  /** For the engine. Absent where this host has its storage for itself. */
  readonly state: (() => ClusterState) | undefined;
  /** The hosts as of the last tick, or nothing where this host has its storage for itself. */
  hosts(): readonly HostRow[] | undefined;
  /** The number of this host among them. */
  readonly hostNo: number | undefined;
  /** How much later than planned the last tick was. */
  tickDelayMs(): number;
  /** How many hosts share the requests of callers; at least 1. */
  size(): number;
  /** The host listens at this address, which `hosts` shows. */
  listens(url: string): Promise<void>;
  /** Tells the engine of each tick. */
  follow(engine: Pick<ThreadedEngine, 'tellHosts'>): void;
}

interface ClusterParts {
  readonly settings: Pick<HostSettings, 'testSeams'>;
  readonly auditKey: Pick<SigningKey, 'keyId'>;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/**
 * A host that was replaced and has not noticed it yet may still begin trees. So the trees of hosts that are gone are
 * looked for from time to time, every two seconds.
 */
const TICKS_BETWEEN_LOOKS = 8;

export async function hostCluster(
  membership: Membership | undefined,
  parts: ClusterParts,
): Promise<HostCluster> {
  if (membership === undefined) return ALONE;
  const { settings, auditKey, metrics, log } = parts;
  const { hostNo } = membership;
  membership.onLost(() => {
    log.fatal(
      'other hosts have taken over the work of this host, because it was silent for too long; it stops now',
    );
    // Everything that this process still does was given to others, so nothing has to be finished.
    process.exit(75);
  });
  const stateOf = ({ hosts, clockOffsetMs }: Tick): ClusterState => ({
    hostNo,
    alive: hosts.map((host) => String(host.hostNo)),
    clockOffsetMs,
  });
  metrics.watchHosts(membership.newest);
  if (settings.testSeams) refuseSeams(membership.newest());
  // Each of two hosts that start at the same time tells its key before it looks, so at least one sees that of the other.
  await membership.tell(JSON.stringify({ auditKey: auditKey.keyId } satisfies ToldFacts));
  requireSameKey(membership.newest(), auditKey.keyId);
  return {
    state: () => stateOf(membership.newest()),
    hosts: () => membership.newest().hosts,
    hostNo,
    tickDelayMs: () => membership.newest().delayMs,
    size: () => Math.max(1, membership.newest().hosts.length),
    listens: membership.setUrl,
    follow(engine) {
      let ticks = 0;
      membership.onTick((tick) => {
        ticks += 1;
        engine.tellHosts(stateOf(tick), tick.isHostGone, ticks % TICKS_BETWEEN_LOOKS === 0);
      });
    },
  };
}

const ALONE: HostCluster = {
  state: undefined,
  hosts: () => undefined,
  hostNo: undefined,
  tickDelayMs: () => 0,
  size: () => 1,
  listens: async () => undefined,
  follow: () => undefined,
};

/** What a host tells the others about itself. */
interface ToldFacts {
  readonly auditKey?: string;
}

/** The hosts of a database sign one audit trail. */
function requireSameKey({ hosts }: Tick, keyId: string): void {
  const other = hosts.find(({ facts }) => {
    const told = (facts === null ? {} : JSON.parse(facts)) as ToldFacts;
    return told.auditKey !== undefined && told.auditKey !== keyId;
  });
  if (other === undefined) return;
  throw new Error(
    `host ${other.name} signs the audit trail of this database with another key: give all hosts the same ` +
      'BATON_AUDIT_KEY, or leave it out, so that they use the key in the database',
  );
}

/** What conformance suites switch on belongs to one process. */
function refuseSeams({ hosts }: Tick): void {
  if (hosts.length <= 1) return;
  throw new Error(
    'BATON_TEST_SEAMS cannot be used where several hosts share a database: stop the other hosts, or leave it out',
  );
}
