import { fetchTo } from '@baton/agents';
import type { Peer, TaskPush, TaskPushReads, TaskPushWrite } from '@baton/engine/ports';
import type { Logger } from 'pino';
import { type PushMessage, pushSender } from '../a2a/push/push-sender.ts';
import { clientFor, judgePushTarget } from '../a2a/push/push-target.ts';
import { openCredentials, registeredPushes } from '../a2a/push/registered-pushes.ts';
import { peerClients } from '../handoffs/peer-clients.ts';
import type { HostContext } from '../http/context.ts';
import { refusal } from '../http/errors.ts';
import type { TenantSecrets } from '../secrets/tenant-secrets.ts';
import type { HostSettings } from '../settings.ts';
import type { ThreadedEngine } from '../thread/threaded-engine.ts';
import { VERSION } from '../version.ts';
import { postOnce } from '../webhooks/post-message.ts';
import { standardHeaders } from '../webhooks/signatures.ts';
import { allowedAddress } from '../webhooks/target-url.ts';
import { unreferenced } from './timers.ts';

interface HostPushesParts {
  readonly reads: TaskPushReads & { peers(): Promise<readonly Peer[]> };
  readonly secrets: TenantSecrets;
  readonly engine: ThreadedEngine;
  readonly settings: Pick<HostSettings, 'webhookPrivate'>;
  readonly log: Logger;
  /** The host, once it is complete. */
  readonly host: () => HostContext;
}

/** The pushes of A2A tasks, and the sender of their messages. */
export function hostPushes({ reads, secrets, engine, settings, log, host }: HostPushesParts) {
  const { webhookPrivate: allowsPrivate = false } = settings;
  // Redirects are refused: the address that was judged is the only one that is called.
  const guarded = fetchTo(allowedAddress(allowsPrivate), { maxRedirects: 0 });
  const toPeers = peerClients({ bounds: {}, log });
  const stopping = new AbortController();
  const registeredIn = (tenant: string) => ({ tenant, peers: reads.peers });

  async function write(asked: TaskPushWrite): Promise<number> {
    const outcome = await engine.execute({ kind: 'write-task-pushes', write: asked });
    if (!outcome.ok) throw refusal(outcome.error);
    if (outcome.value.kind === 'task-pushes') return outcome.value.changed;
    throw new Error(`the engine answered a change of pushes with ${outcome.value.kind}`);
  }

  async function post(push: TaskPush, { id, body, contentType, traceparent }: PushMessage) {
    const credentials = await openCredentials(secrets, push);
    if (credentials === undefined) return { error: 'the host cannot open the credentials of the push' };
    const { token, authorization } = credentials;
    const clients = { guarded: guarded.fetch, toPeers };
    const fetch = await clientFor(push.url, clients, registeredIn(push.tenant));
    const headers = {
      'content-type': contentType,
      'user-agent': `baton/${VERSION}`,
      traceparent,
      ...(authorization !== undefined && { authorization }),
      ...(token !== undefined && {
        'x-a2a-notification-token': token,
        ...standardHeaders({ id, body }, [token], Date.now()),
      }),
    };
    const posting = { fetch, now: Date.now, after: unreferenced, stopping: stopping.signal };
    return postOnce(posting, push.url, { headers, body });
  }

  const sender = pushSender({
    ...{ reads, feed: engine, write, post, log, now: Date.now, random: Math.random, after: unreferenced },
    messageOf: async (push) => (await import('../a2a/push/push-message.ts')).pushMessage(host(), push),
  });
  return {
    registered: registeredPushes({
      ...{ reads, secrets, write, now: Date.now, onPut: sender.look },
      judge: (tenant, url) => judgePushTarget(url, { ...registeredIn(tenant), allowsPrivate }),
    }),
    start(): Promise<void> {
      engine.changes(({ kind }) => {
        if (kind === 'missed')
          sender.start().catch((err) => log.error({ err }, 'the pushes could not be read'));
      });
      return sender.start();
    },
    async stop(): Promise<void> {
      stopping.abort();
      await sender.stop();
      await Promise.all([guarded.close(), toPeers.stop()]);
    },
  };
}
