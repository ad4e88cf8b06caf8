/**
 * Bounds how many calls a provider has at once. A free slot goes to the waiting tenant with the fewest calls
 * under way; among equals, to the one whose calls wait the
 * longest since it was last served.
 */
export function fairSlots(limit: number) {
  const active = new Map<string, number>();
  /** A tenant that was served goes to the end of the line. */
  const waiting = new Map<string, Set<() => void>>();
  let total = 0;

  function next(): string | undefined {
    let least: string | undefined;
    for (const tenant of waiting.keys()) {
      if (least === undefined || (active.get(tenant) ?? 0) < (active.get(least) ?? 0)) least = tenant;
    }
    return least;
  }

  function serve(): void {
    while (total < limit) {
      const tenant = next();
      const line = tenant === undefined ? undefined : waiting.get(tenant);
      const [begin] = line ?? [];
      if (tenant === undefined || line === undefined || begin === undefined) return;
      line.delete(begin);
      waiting.delete(tenant);
      if (line.size > 0) waiting.set(tenant, line);
      total += 1;
      active.set(tenant, (active.get(tenant) ?? 0) + 1);
      begin();
    }
  }

  function free(tenant: string): void {
    total -= 1;
    const left = (active.get(tenant) ?? 1) - 1;
    if (left === 0) active.delete(tenant);
    else active.set(tenant, left);
    serve();
  }

  function leave(tenant: string, begin: () => void): void {
    const line = waiting.get(tenant);
    line?.delete(begin);
    if (line?.size === 0) waiting.delete(tenant);
  }

  return {
    /** Waits for a slot. `undefined` when the signal was aborted meanwhile; otherwise the slot must be freed. */
    take(tenant: string, signal: AbortSignal): Promise<(() => void) | undefined> {
      if (signal.aborted) return Promise.resolve(undefined);
      return new Promise((done) => {
        const onAbort = () => {
          leave(tenant, begin);
          done(undefined);
        };
        const begin = () => {
          signal.removeEventListener('abort', onAbort);
          let isFree = false;
          done(() => {
            if (isFree) return;
            isFree = true;
            free(tenant);
          });
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.set(tenant, (waiting.get(tenant) ?? new Set()).add(begin));
        serve();
      });
    },
    counts: () => ({
      active: total,
      waiting: [...waiting.values()].reduce((sum, line) => sum + line.size, 0),
    }),
  };
}
