import type { OpenVault } from '@baton/engine';
import type { StoreReads } from '@baton/engine/ports';
import type { Logger } from 'pino';
import { type RecentEvents, readingRecentFirst } from '../events/recent-events.ts';
import { openTenantSecrets, type TenantSecrets } from '../secrets/tenant-secrets.ts';
import { type Telling, tellingEvents, tellingWithout } from '../secrets/told.ts';
import { keptWrappingKeys } from '../secrets/wrapping-keys.ts';
import type { HostSettings } from '../settings.ts';
import type { StoredKeys } from '../storage/open-storage.ts';
import type { ThreadedEngine } from '../thread/threaded-engine.ts';
import { type HostWebhooks, hostWebhooks } from './host-webhooks.ts';

/** What a host reads of its store, without the secrets in it. */
interface HostReads {
  readonly reads: StoreReads;
  readonly tails: RecentEvents['tails'];
  readonly telling: Telling;
  readonly secrets: TenantSecrets;
  readonly webhooks: HostWebhooks;
}

interface HostReadsParts {
  readonly storage: StoredKeys;
  readonly stored: StoreReads;
  readonly recent: RecentEvents;
  readonly engine: ThreadedEngine;
  readonly vault: OpenVault;
  readonly settings: Pick<HostSettings, 'webhookPrivate'>;
  readonly log: Logger;
}

/** Also reads the secrets of tenants into the vault, before anything else is read or computed. */
export async function hostReads(parts: HostReadsParts): Promise<HostReads> {
  const { storage, stored, recent, engine, vault, settings, log } = parts;
  const kept = keptWrappingKeys(storage);
  const secrets = await openTenantSecrets({ kept, reads: stored, engine, vault, log });
  const telling = tellingWithout(vault);
  recent.follow(engine);
  const reads = tellingEvents(readingRecentFirst(stored, recent), vault, telling);
  return {
    reads,
    tails: recent.tails,
    telling,
    secrets,
    webhooks: hostWebhooks({ reads, secrets, engine, vault, settings, log }),
  };
}
