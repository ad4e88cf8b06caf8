/** Remembers which ids of each owner were used, for as long as an id could be sent again. */
interface UsedOnce {
  /** `full`: the owner has used too many ids at this time, and this one is not remembered. */
  use(owner: string, id: string): 'first' | 'again' | 'full';
}

interface UsedOnceOptions {
  /** An id is remembered for at least this time. */
  readonly forMs: number;
  /** How many ids of one owner are remembered in this time. */
  readonly most: number;
  readonly now: () => number;
}

/**
 * Ids are kept in two generations. After `forMs` the older one is dropped and a new one begins, so an id is
 * remembered for one to two times `forMs`, and no single id has to be looked for.
 */
export function usedOnce({ forMs, most, now }: UsedOnceOptions): UsedOnce {
  let older = new Map<string, Set<string>>();
  let newer = new Map<string, Set<string>>();
  let begun = now();

  function dropOld(): void {
    const age = now() - begun;
    if (age < forMs) return;
    older = age < 2 * forMs ? newer : new Map();
    newer = new Map();
    begun = now();
  }

  return {
    use(owner, id) {
      dropOld();
      const ids = newer.get(owner) ?? new Set();
      if (ids.has(id) || older.get(owner)?.has(id) === true) return 'again';
      if (ids.size >= most) return 'full';
      newer.set(owner, ids.add(id));
      return 'first';
    },
  };
}
