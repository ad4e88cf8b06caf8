import { fetchTo } from '@baton/agents';
import type { OpenVault } from '@baton/engine';
import type { StoreReads, WebhookWrite } from '@baton/engine/ports';
import type { Logger } from 'pino';
import { refusal } from '../http/errors.ts';
import type { TenantSecrets } from '../secrets/tenant-secrets.ts';
import type { HostSettings } from '../settings.ts';
import type { ThreadedEngine } from '../thread/threaded-engine.ts';
import { creators } from '../webhooks/creators.ts';
import { deliverer } from '../webhooks/deliverer.ts';
import { type RegisteredWebhooks, registeredWebhooks } from '../webhooks/registered-webhooks.ts';
import { openKeys } from '../webhooks/signing-keys.ts';
import { allowedAddress, judgeTarget } from '../webhooks/target-url.ts';
import { unreferenced } from './timers.ts';

export interface HostWebhooks {
  readonly registered: RegisteredWebhooks;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface HostWebhooksParts {
  /** Without the secrets in it. */
  readonly reads: StoreReads;
  readonly secrets: TenantSecrets;
  readonly engine: ThreadedEngine;
  readonly vault: OpenVault;
  readonly settings: Pick<HostSettings, 'webhookPrivate'>;
  readonly log: Logger;
}

/** The webhooks of a host, and the deliverer of their events. */
export function hostWebhooks(parts: HostWebhooksParts): HostWebhooks {
  const { reads, secrets, engine, vault, settings, log } = parts;
  const { webhookPrivate: allowsPrivate = false } = settings;
  // Redirects are refused: the address that was judged is the only one that is called.
  const client = fetchTo(allowedAddress(allowsPrivate), { maxRedirects: 0 });
  const posting = { fetch: client.fetch, now: Date.now, after: unreferenced };
  const stopping = new AbortController();
  const mayRead = creators(reads, Date.now);

  async function execute(write: WebhookWrite) {
    const outcome = await engine.execute({ kind: 'write-webhooks', write });
    if (!outcome.ok) throw refusal(outcome.error);
    if (outcome.value.kind === 'webhooks') return outcome.value;
    throw new Error(`the engine answered a change of webhooks with ${outcome.value.kind}`);
  }

  const delivery = deliverer({
    ...{ ...posting, reads, mayRead, feed: engine, random: Math.random, log },
    write: async (write) => (await execute(write)).backlogs,
    open: (webhook) => openKeys(secrets, webhook),
  });
  return {
    registered: registeredWebhooks({
      ...{ reads, secrets, vault, mayRead },
      write: async (write) => (await execute(write)).changed,
      judge: (url) => judgeTarget(url, { allowsPrivate }),
      posting: { ...posting, stopping: stopping.signal },
    }),
    start: delivery.start,
    async stop() {
      stopping.abort();
      await delivery.stop();
      await client.close();
    },
  };
}
