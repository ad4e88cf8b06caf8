/** Remembers ids for as long as a signature with them is accepted, so that each counts once. */
export interface SeenIds {
  /** True for an id the first time. */
  isNew(id: string): boolean;
}

/** Signatures are accepted for five minutes before and after their time. */
const KEPT_MS = 10 * 60_000;
const MOST_IDS = 50_000;

export function seenIds(now: () => number): SeenIds {
  /** In the order of their times, because a map keeps the order of its keys. */
  const seen = new Map<string, number>();
  return {
    isNew(id) {
      const at = now();
      for (const [old, time] of seen) {
        if (time > at - KEPT_MS && seen.size < MOST_IDS) break;
        seen.delete(old);
      }
      if (seen.has(id)) return false;
      seen.set(id, at);
      return true;
    },
  };
}
