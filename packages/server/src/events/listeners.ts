/** Listeners by the id of a run or of a tree. */
interface Listeners<Told> {
  isEmpty(): boolean;
  ids(): readonly string[];
  /** Returns a function that removes the listener. */
  add(id: string, listener: (told: Told) => void): () => void;
  tell(id: string, told: Told): void;
}

export function listenersById<Told>(): Listeners<Told> {
  const byId = new Map<string, Set<(told: Told) => void>>();
  return {
    isEmpty: () => byId.size === 0,
    ids: () => [...byId.keys()],
    add(id, listener) {
      const listeners = byId.get(id) ?? new Set();
      byId.set(id, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && byId.get(id) === listeners) byId.delete(id);
      };
    },
    tell(id, told) {
      const listeners = byId.get(id);
      if (listeners !== undefined) for (const listener of [...listeners]) listener(told);
    },
  };
}
