/** Secrets that a vault learns while the host runs, beside those that it was opened with. */

/** A change to the secrets of a tenant while the host runs. Each thread of the host is told of it. */
export type SecretChange =
  /** The value is redacted from now on. It cannot be used yet: it may still have to be stored. */
  | { readonly kind: 'learn'; readonly tenant: string; readonly id: string; readonly value: string }
  /** The value is redacted and can be used. An earlier value of the same id is only redacted any more. */
  | { readonly kind: 'set'; readonly tenant: string; readonly id: string; readonly value: string }
  /** The value cannot be used any more. It is still redacted. */
  | { readonly kind: 'drop'; readonly tenant: string; readonly id: string };

/**
 * How many values of a tenant are redacted although they cannot be used. The oldest is forgotten first. Without
 * this bound, a tenant that sets a secret again and again would make redaction slower and slower.
 */
const MAX_RETIRED = 64;

interface LearnedSecrets {
  change(change: SecretChange): void;
  /** The value that the tenant can use. */
  value(tenant: string, id: string): string | undefined;
  /** All values of the tenant that are redacted. */
  redacted(tenant: string): readonly (readonly [id: string, value: string])[];
  tenants(): Iterable<string>;
  /** The changes that lead to the same secrets. */
  changes(tenant: string): readonly SecretChange[];
}

interface OfTenant {
  /** By id. */
  readonly usable: Map<string, string>;
  /** By value, the oldest first. */
  readonly retired: Map<string, string>;
}

export function learnedSecrets(): LearnedSecrets {
  const known = new Map<string, OfTenant>();

  function of(tenant: string): OfTenant {
    const found = known.get(tenant) ?? { usable: new Map(), retired: new Map() };
    known.set(tenant, found);
    return found;
  }

  function retire({ retired }: OfTenant, id: string, value: string): void {
    retired.delete(value);
    retired.set(value, id);
    const [oldest] = retired.keys();
    if (retired.size > MAX_RETIRED && oldest !== undefined) retired.delete(oldest);
  }

  return {
    change(change) {
      const own = of(change.tenant);
      if (change.kind === 'learn') return retire(own, change.id, change.value);
      const before = own.usable.get(change.id);
      if (change.kind === 'drop') own.usable.delete(change.id);
      else own.usable.set(change.id, change.value);
      if (before !== undefined) retire(own, change.id, before);
      // A value that can be used is kept as such, so that it does not push out an older one.
      if (change.kind === 'set') own.retired.delete(change.value);
    },
    value: (tenant, id) => known.get(tenant)?.usable.get(id),
    redacted(tenant) {
      const own = known.get(tenant);
      if (own === undefined) return [];
      return [...own.usable, ...[...own.retired].map(([value, id]) => [id, value] as const)];
    },
    tenants: () => known.keys(),
    changes(tenant) {
      const own = known.get(tenant);
      if (own === undefined) return [];
      return [
        ...[...own.retired].map(([value, id]) => ({ kind: 'learn', tenant, id, value }) as const),
        ...[...own.usable].map(([id, value]) => ({ kind: 'set', tenant, id, value }) as const),
      ];
    },
  };
}
