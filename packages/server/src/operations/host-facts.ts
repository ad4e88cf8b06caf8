import { CONTRACTS, isoTime } from '@baton/protocol';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import type { HostSettings } from '../settings.ts';
import { VERSION } from '../version.ts';

/** Facts about the host, for its operators. */
export const hostFactRoutes: Routes = (app, { reads, settings, hostId, cluster, publicUrl }) => {
  const startedAt = new Date().toISOString();

  bind(app, CONTRACTS.readHost, async () => {
    const [storage, keys] = await Promise.all([reads.storageFacts(), reads.keys()]);
    return {
      id: hostId,
      version: VERSION,
      startedAt,
      storage,
      retention: { runsMs: settings.retentionMs, memoryMs: settings.memoryRetentionMs },
      limits: limitsIn(settings),
      keys: { count: keys.filter(({ revokedAt }) => revokedAt === undefined).length },
    };
  });

  bind(app, CONTRACTS.listHosts, async () => {
    const work = await reads.workOfHosts();
    const sum = (what: 'trees' | 'effects') => work.reduce((count, one) => count + one[what], 0);
    const shared = cluster.hosts();
    if (shared === undefined) {
      const alone = { number: 0, name: hostId, url: publicUrl(), version: VERSION, startedAt, silentMs: 0 };
      const rest = { isDraining: false, isThis: true, trees: sum('trees'), effects: sum('effects') };
      return { isShared: false, hosts: [{ ...alone, ...rest }] };
    }
    return {
      isShared: true,
      hosts: shared.map((host) => {
        const own = work.find(({ owner }) => owner === String(host.hostNo));
        return {
          number: host.hostNo,
          name: host.name,
          url: host.url ?? undefined,
          version: host.version,
          startedAt: isoTime(Math.round(host.startedAt)),
          silentMs: Math.round(host.silentMs),
          isDraining: host.draining,
          isThis: host.hostNo === cluster.hostNo,
          trees: own?.trees ?? 0,
          effects: own?.effects ?? 0,
        };
      }),
      tickDelayMs: Math.round(cluster.tickDelayMs()),
    };
  });

  bind(app, CONTRACTS.listKeys, async () => {
    const keys = await reads.keys();
    return {
      // The fields are named one by one, so that the hash of a secret, or a field that a later version adds, stays here.
      keys: keys.map(({ id, tenant, principal, scopes, roles, createdAt, revokedAt }) => ({
        id,
        tenant,
        principal,
        scopes,
        roles,
        createdAt: isoTime(createdAt),
        revokedAt: revokedAt === undefined ? undefined : isoTime(revokedAt),
      })),
    };
  });
};

function limitsIn(settings: HostSettings) {
  const { maxTenantBytes, maxTreeRuns, maxLogEvents, maxStateCharacters, maxEffects, maxConnections } =
    settings;
  return { maxTenantBytes, maxTreeRuns, maxLogEvents, maxStateCharacters, maxEffects, maxConnections };
}
