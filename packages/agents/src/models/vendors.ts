import type { ModelAnswer, ModelCall } from '@baton/engine/ports';
import type { VendorKind } from './adapter/language-model.ts';
import type { ProviderConfig, TokenPrices } from './models-config.ts';
import type { Pace } from './pace.ts';
import { costAt, withCost } from './prices.ts';
import type { Later } from './timers.ts';

/** Asks the models of vendors, in this thread or in another one. */
export interface Vendors {
  /** `undefined` when the thread that asked was lost, and the answer with it. */
  ask(call: VendorCall, vendor: Vendor): Promise<ModelAnswer | undefined>;
  stop(): Promise<void>;
}

/** The part of a model call that a vendor needs. */
export type VendorCall = Pick<
  ModelCall,
  'request' | 'key' | 'traceparent' | 'signal' | 'progress' | 'reasoned'
>;

/** The provider of a call. It is plain data, so that it can be sent to another thread. */
export interface Vendor {
  /** The name of the provider in the configuration. */
  readonly provider: string;
  readonly config: Omit<ProviderConfig, 'kind' | 'key'> & { readonly kind: VendorKind };
  readonly key?: string | undefined;
  /** The operator's prices for the model. */
  readonly prices?: TokenPrices | undefined;
}

interface HereOptions {
  readonly later: Later;
  readonly pace: Pace;
  now(): number;
}

/** Asks in this thread. */
export function vendorsHere({ later, pace, now }: HereOptions): Vendors {
  async function costOf(answer: ModelAnswer, { request }: VendorCall, vendor: Vendor) {
    const { usage } = answer;
    if (usage === undefined) return undefined;
    const { prices, config } = vendor;
    if (prices !== undefined) return costAt(prices, usage);
    const { publishedCost } = await import('./published-prices.ts');
    const priced = { kind: config.kind, model: request.model, elsewhere: config.baseURL !== undefined };
    return publishedCost(usage, priced, new Date(now()));
  }

  return {
    async ask(call, vendor) {
      // The packages of the vendors are large, so they are loaded with the first call.
      const { askVendor } = await import('./provider.ts');
      const answer = await askVendor(call, { ...vendor, later, pace, now });
      return withCost(answer, await costOf(answer, call, vendor));
    },
    stop: async () => undefined,
  };
}
