import { EFFECT_POOLS } from '@baton/engine/ports';

/** The names of the virtual objects in Restate. Each pool of kinds is a service, so that it can have hosts of its own. */
export function serviceOf(kind: string): string | undefined {
  const pool = Object.entries(EFFECT_POOLS).find(([, kinds]) => kinds.includes(kind));
  return pool && serviceName(pool[0]);
}

export function serviceName(pool: string): string {
  return `baton-${pool}`;
}
