import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Identity } from '../auth/identity.ts';

/**
 * The open streams of clients of 2026 that want to hear of changes. The SDK tells all streams of an event, but the tools
 * of a host differ between callers. So each stream is remembered with the caller whose request opened it.
 */
export interface Listeners {
  /** For the SDK, which subscribes while it handles a request. */
  readonly bus: ServerEventBus;
  /** Handles a request of this caller. */
  during<T>(identity: Identity, handle: () => T): T;
  /** Tells the callers that their tools have changed. */
  tell(isTold: (identity: Identity) => boolean): void;
}

interface Listener {
  readonly identity: Identity | undefined;
  hear(event: ServerEvent): void;
}

export function createListeners(): Listeners {
  const caller = new AsyncLocalStorage<Identity>();
  const all = new Set<Listener>();
  function publish(event: ServerEvent, isTold: (identity: Identity) => boolean): void {
    for (const { identity, hear } of all) if (identity !== undefined && isTold(identity)) hear(event);
  }
  return {
    bus: {
      publish: (event) => publish(event, () => true),
      subscribe(hear) {
        const listener: Listener = { identity: caller.getStore(), hear };
        all.add(listener);
        return () => void all.delete(listener);
      },
    },
    during: (identity, handle) => caller.run(identity, handle),
    tell: (isTold) => publish({ kind: 'tools_list_changed' }, isTold),
  };
}
