/** Requests that stay open on purpose: streams, polls and waits. They end when the host stops. */
export interface Lingering {
  /** Registers a function that ends one request. The returned function removes it from the list. */
  add(end: () => void): () => void;
  /** Ends all open requests, and from now on every request that is added. */
  close(): void;
  isClosed(): boolean;
}

export function createLingering(): Lingering {
  const open = new Set<() => void>();
  let closed = false;
  return {
    add(end) {
      if (closed) queueMicrotask(end);
      open.add(end);
      return () => void open.delete(end);
    },
    close() {
      closed = true;
      for (const end of [...open]) end();
    },
    isClosed: () => closed,
  };
}
