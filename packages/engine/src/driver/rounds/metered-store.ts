import type { Store } from '../../ports/store.ts';
import type { JobMeter } from './job-meter.ts';

/**
 * The store as one job uses it. While the store prepares an answer, the job does not count as working. There
 * is one for each job, so it is made of a prototype instead of a function for each method.
 */
export function meteredStores(store: Store): (meter: JobMeter) => Store {
  const prototype: Record<string, unknown> = {};
  for (const [name, method] of Object.entries(store) as [
    string,
    (...given: unknown[]) => Promise<unknown>,
  ][]) {
    prototype[name] = function (this: { readonly meter: JobMeter }, ...given: unknown[]) {
      return this.meter.outside(method.apply(store, given));
    };
  }
  return (meter) => ({ __proto__: prototype, meter }) as unknown as Store;
}
