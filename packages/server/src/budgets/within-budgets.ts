import type { Performer } from '@baton/agents';
import type { ModelProvider, Models } from '@baton/engine/ports';
import type { TenantRoom } from './tenant-room.ts';

/** Checks the budget of the tenant directly before each call. A refused call fails and is not tried again. */

/** An answer that the host has kept is not asked for, so it is not checked. */
export function modelsWithinBudgets(models: Models, room: TenantRoom): Models {
  return {
    provider(id) {
      const provider = models.provider(id);
      return provider && withinBudget(provider, room);
    },
  };
}

function withinBudget(provider: ModelProvider, room: TenantRoom): ModelProvider {
  return {
    reexecutable: provider.reexecutable,
    async ask(call) {
      const error = await room.refusal(call.tenant, 'model');
      return error ? { kind: 'error', error, retryable: false } : provider.ask(call);
    },
  };
}

/** A call that may have been made before the host stopped was allowed then. Its outcome must not be hidden. */
export function toolsWithinBudgets(perform: Performer, room: TenantRoom): Performer {
  return async (effect, context) => {
    const error = effect.again ? undefined : await room.refusal(effect.tenant, 'tool');
    return error ? { kind: 'failed', error, retryable: false } : perform(effect, context);
  };
}
