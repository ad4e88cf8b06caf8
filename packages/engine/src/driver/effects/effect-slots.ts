import type { Effect } from '../../ports/effects.ts';

/**
 * Bounds how many effects of one kind are performed at once. A free slot goes to the waiting tenant that has
 * the fewest under way. One tenant never has all slots, so that the effects of another tenant need not wait
 * for a slow one to end.
 */
export interface EffectSlots {
  /**
   * Calls `begin` when there is a slot, which may be at once. The returned function must be called when the
   * effect has ended, or need not begin any more.
   */
  add(effect: Pick<Effect, 'kind' | 'tenant'>, begin: () => void): () => void;
}

interface Kind {
  /** How many effects each tenant has under way. */
  readonly underWay: Map<string, number>;
  /** What begins the effects that wait, by tenant. The tenant that was served last stands last. */
  readonly waiting: Map<string, Set<() => void>>;
  count: number;
}

/** One of so many slots is kept free of the tenant that has most. */
const KEPT_FREE = 8;

export function effectSlots(limit: number): EffectSlots {
  const kinds = new Map<string, Kind>();
  const mostOfTenant = Math.max(1, limit - Math.ceil(limit / KEPT_FREE));

  function kindOf(kind: string): Kind {
    const found = kinds.get(kind);
    if (found !== undefined) return found;
    const made: Kind = { underWay: new Map(), waiting: new Map(), count: 0 };
    kinds.set(kind, made);
    return made;
  }

  /** The waiting tenant with the fewest effects under way. */
  function tenantOfTurn({ underWay, waiting }: Kind): string | undefined {
    let least: string | undefined;
    let fewest = mostOfTenant;
    for (const tenant of waiting.keys()) {
      const own = underWay.get(tenant) ?? 0;
      if (own >= fewest) continue;
      least = tenant;
      fewest = own;
    }
    return least;
  }

  function beginNext(kind: Kind): void {
    while (kind.count < limit) {
      const tenant = tenantOfTurn(kind);
      const line = tenant === undefined ? undefined : kind.waiting.get(tenant);
      const [begin] = line ?? [];
      if (tenant === undefined || line === undefined || begin === undefined) return;
      line.delete(begin);
      kind.waiting.delete(tenant);
      if (line.size > 0) kind.waiting.set(tenant, line);
      kind.count += 1;
      kind.underWay.set(tenant, (kind.underWay.get(tenant) ?? 0) + 1);
      begin();
    }
  }

  function end(kind: Kind, tenant: string): void {
    kind.count -= 1;
    const left = (kind.underWay.get(tenant) ?? 1) - 1;
    if (left === 0) kind.underWay.delete(tenant);
    else kind.underWay.set(tenant, left);
    beginNext(kind);
  }

  function leave({ waiting }: Kind, tenant: string, begin: () => void): void {
    const line = waiting.get(tenant);
    line?.delete(begin);
    if (line?.size === 0) waiting.delete(tenant);
  }

  return {
    add({ kind: name, tenant }, begin) {
      const kind = kindOf(name);
      let state: 'waiting' | 'begun' | 'over' = 'waiting';
      const beginOnce = () => {
        state = 'begun';
        begin();
      };
      kind.waiting.set(tenant, (kind.waiting.get(tenant) ?? new Set()).add(beginOnce));
      beginNext(kind);
      return () => {
        const before = state;
        state = 'over';
        if (before === 'waiting') leave(kind, tenant, beginOnce);
        else if (before === 'begun') end(kind, tenant);
      };
    },
  };
}
