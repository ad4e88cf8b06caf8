import type { Identity } from '../auth/identity.ts';
import type { StandingAccess } from '../auth/standing-access.ts';

/**
 * Requests that stay open on purpose: streams, polls and waits. They end when the host stops, and those that name their
 * caller also when the caller has lost a right.
 */
export interface Lingering {
  /** Registers a function that ends one request. The returned function removes it from the list. */
  add(end: () => void, caller?: Identity): () => void;
  /** Ends all open requests, and from now on every request that is added. */
  close(): void;
  isClosed(): boolean;
}

export function createLingering(access?: StandingAccess): Lingering {
  const open = new Set<() => void>();
  let closed = false;
  return {
    add(end, caller) {
      if (closed) queueMicrotask(end);
      open.add(end);
      const leave = caller && access?.watch(caller, end);
      return () => {
        open.delete(end);
        leave?.();
      };
    },
    close() {
      closed = true;
      for (const end of [...open]) end();
    },
    isClosed: () => closed,
  };
}
