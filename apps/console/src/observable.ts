/** Tells those that listen that something has changed. */
export function announcer() {
  const listeners = new Set<() => void>();
  return {
    tell(): void {
      for (const listener of listeners) listener();
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** A value that changes outside of React. Listeners are told when it has become another one. */
export function observable<Value>(value: Value) {
  const { tell, subscribe } = announcer();
  let current = value;
  return {
    get: (): Value => current,
    set(next: Value): void {
      if (next === current) return;
      current = next;
      tell();
    },
    subscribe,
  };
}
