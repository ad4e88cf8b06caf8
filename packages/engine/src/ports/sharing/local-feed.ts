import type { Slice, Store } from '../store.ts';
import type { WebhookPlace } from '../webhooks.ts';
import { type ChangeListeners, changeListeners } from './change-listeners.ts';

/** The methods that change data which others may cache, except `commit` and `purgeTrees`. */
type Writers = Pick<
  Store,
  | 'putWorkflow'
  | 'putKey'
  | 'revokeKey'
  | 'putPeer'
  | 'removePeer'
  | 'putSecret'
  | 'deleteSecret'
  | 'putWebhook'
  | 'setWebhookState'
  | 'setWebhookKeys'
  | 'deleteWebhook'
  | 'redeliver'
  | 'eraseRun'
>;

/** The changes that are made through one store. */
interface LocalFeed extends ChangeListeners {
  /** Tells what these slices changed. */
  committed(slices: readonly Slice[]): void;
  /** The same methods, which also tell what they changed. */
  telling(writers: Writers): Writers;
}

export function localFeed(): LocalFeed {
  const { changes, tell } = changeListeners();
  return {
    changes,
    tell,
    committed(slices) {
      for (const { memory = [], cancels = [] } of slices) {
        for (const { tenant, scope } of memory) tell({ kind: 'scope', tenant, scope });
        for (const { runId } of cancels) tell({ kind: 'remote-cancel', runId });
      }
    },
    telling: ({
      putWorkflow,
      putKey,
      revokeKey,
      putPeer,
      removePeer,
      putSecret,
      deleteSecret,
      eraseRun,
      ...webhooks
    }) => ({
      ...tellingWebhooks(webhooks, tell),
      async putWorkflow(workflow, reply) {
        const result = await putWorkflow(workflow, reply);
        if (result.created) tell({ kind: 'workflow', tenant: workflow.tenant, id: workflow.id });
        return result;
      },
      async putKey(key) {
        await putKey(key);
        tell({ kind: 'key', id: key.id });
      },
      async revokeKey(id, at) {
        const revoked = await revokeKey(id, at);
        if (revoked) tell({ kind: 'key', id });
        return revoked;
      },
      async putPeer(peer) {
        await putPeer(peer);
        tell({ kind: 'peer', name: peer.name });
      },
      async removePeer(name) {
        const removed = await removePeer(name);
        if (removed) tell({ kind: 'peer', name });
        return removed;
      },
      async putSecret(secret, most) {
        const stored = await putSecret(secret, most);
        if (stored) tell({ kind: 'secret', tenant: secret.tenant, name: secret.name });
        return stored;
      },
      async deleteSecret(tenant, name) {
        const deleted = await deleteSecret(tenant, name);
        if (deleted) tell({ kind: 'secret', tenant, name });
        return deleted;
      },
      async eraseRun(erasure, texts) {
        const erased = await eraseRun(erasure, texts);
        if (erased) tell({ kind: 'log', runId: erasure.runId });
        return erased;
      },
    }),
  };
}

type WebhookWriters = Pick<
  Writers,
  'putWebhook' | 'setWebhookState' | 'setWebhookKeys' | 'deleteWebhook' | 'redeliver'
>;

function tellingWebhooks(writers: WebhookWriters, tell: ChangeListeners['tell']): WebhookWriters {
  const told = async <T extends boolean | number>(
    { tenant, webhookId }: WebhookPlace,
    writing: Promise<T>,
  ): Promise<T> => {
    const changed = await writing;
    if (changed) tell({ kind: 'webhook', tenant, id: webhookId });
    return changed;
  };
  return {
    putWebhook: (webhook, most) => told(webhook, writers.putWebhook(webhook, most)),
    setWebhookState: (place, state) => told(place, writers.setWebhookState(place, state)),
    setWebhookKeys: (place, keys) => told(place, writers.setWebhookKeys(place, keys)),
    deleteWebhook: (place) => told(place, writers.deleteWebhook(place)),
    redeliver: (place, numbers, at) => told(place, writers.redeliver(place, numbers, at)),
  };
}
