import type { Effect } from '../../ports/effects.ts';

/**
 * Bounds how many effects of one kind are performed at once. A free slot goes to the waiting tenant that has
 * the fewest under way. One tenant never has all slots, so that the effects of another tenant need not wait
 * for a slow one to end.
 */
interface EffectSlots {
  /** Calls `begin` when there is a slot, which may be at once. */
  add(effect: Effect, begin: () => void): void;
  /** The effect has ended, or need not begin any more. */
  remove(effect: Effect): void;
}

interface Kind {
  /** How many effects each tenant has under way. */
  readonly underWay: Map<string, number>;
  /** The effects that wait, by tenant and key. The tenant that was served last stands last. */
  readonly waiting: Map<string, Map<string, () => void>>;
  readonly begun: Set<string>;
}

/** One of so many slots is kept free of the tenant that has most. */
const KEPT_FREE = 8;

export function effectSlots(limit: number): EffectSlots {
  const kinds = new Map<string, Kind>();
  const mostOfTenant = Math.max(1, limit - Math.ceil(limit / KEPT_FREE));

  function kindOf(kind: string): Kind {
    const found = kinds.get(kind);
    if (found !== undefined) return found;
    const made: Kind = { underWay: new Map(), waiting: new Map(), begun: new Set() };
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
    while (kind.begun.size < limit) {
      const tenant = tenantOfTurn(kind);
      const line = tenant === undefined ? undefined : kind.waiting.get(tenant);
      const first = line?.entries().next().value;
      if (tenant === undefined || line === undefined || first === undefined) return;
      const [key, begin] = first;
      line.delete(key);
      kind.waiting.delete(tenant);
      if (line.size > 0) kind.waiting.set(tenant, line);
      kind.begun.add(key);
      kind.underWay.set(tenant, (kind.underWay.get(tenant) ?? 0) + 1);
      begin();
    }
  }

  return {
    add({ kind: name, key, tenant }, begin) {
      const kind = kindOf(name);
      const line = kind.waiting.get(tenant) ?? new Map<string, () => void>();
      kind.waiting.set(tenant, line.set(key, begin));
      beginNext(kind);
    },
    remove({ kind: name, key, tenant }) {
      const kind = kindOf(name);
      const line = kind.waiting.get(tenant);
      line?.delete(key);
      if (line?.size === 0) kind.waiting.delete(tenant);
      if (!kind.begun.delete(key)) return;
      const left = (kind.underWay.get(tenant) ?? 1) - 1;
      if (left === 0) kind.underWay.delete(tenant);
      else kind.underWay.set(tenant, left);
      beginNext(kind);
    },
  };
}
