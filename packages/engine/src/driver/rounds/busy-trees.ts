/**
 * The trees that a job works on, or whose slice is being stored. Another job of such a tree waits, so that the
 * slices of a tree never overlap and each is computed from a stored state.
 */
export interface BusyTrees<T> {
  /** Makes the tree busy. If it is busy already, the job waits, and the answer is false. */
  take(rootId: string, job: T): boolean;
  /**
   * The job of the tree is done. Returns the job that has waited longest for the tree, which stays busy for
   * this job; if none waits, the tree is free.
   */
  handOn(rootId: string): T | undefined;
  /** Removes every waiting job that is not to be kept. */
  keepOnly(kept: (job: T) => boolean): void;
}

export function busyTrees<T>(): BusyTrees<T> {
  const busy = new Set<string>();
  const waiting = new Map<string, T[]>();
  return {
    take(rootId, job) {
      if (!busy.has(rootId)) {
        busy.add(rootId);
        return true;
      }
      const jobs = waiting.get(rootId);
      if (jobs === undefined) waiting.set(rootId, [job]);
      else jobs.push(job);
      return false;
    },
    handOn(rootId) {
      const jobs = waiting.get(rootId);
      const next = jobs?.shift();
      if (jobs?.length === 0) waiting.delete(rootId);
      if (next === undefined) busy.delete(rootId);
      return next;
    },
    keepOnly(kept) {
      for (const [rootId, jobs] of waiting) {
        const rest = jobs.filter(kept);
        if (rest.length === 0) waiting.delete(rootId);
        else waiting.set(rootId, rest);
      }
    },
  };
}
