import { CONTRACTS } from '@baton/protocol';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';

/** Shows the models of the host. The answer is made of named fields, so no key or address can get into it. */
export const modelRoutes: Routes = (app, host) => {
  bind(app, CONTRACTS.listModels, async () => {
    const { classes, providers } = host.models.health();
    return {
      classes: classes.map(({ modelClass, provider, model, fallbacks }) => ({
        modelClass,
        provider,
        model,
        fallbacks: fallbacks.map((other) => ({ provider: other.provider, model: other.model })),
      })),
      providers: providers.map(({ id, kind, lastFault, ...health }) => ({
        provider: id,
        kind,
        state: health.state,
        faultsInARow: health.faultsInARow,
        activeCalls: health.activeCalls,
        waitingCalls: health.waitingCalls,
        ...(lastFault && { lastFault: { code: lastFault.code, at: new Date(lastFault.at).toISOString() } }),
      })),
    };
  });
};
