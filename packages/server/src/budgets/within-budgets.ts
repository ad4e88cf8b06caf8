import type { Performer } from '@baton/agents';
import type { Effect, ModelProvider, Models } from '@baton/engine/ports';
import { isJsonObject, type RunError } from '@baton/protocol';
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

/** How many refused groups of calls are remembered. */
const MOST_REFUSED = 1000;

/**
 * The calls that a model asked for in one answer are counted together, so they are made together or not at all. The
 * first of them that is checked decides for all that are under way at the same time, and a refusal holds for all
 * later ones too. A call that may have been made before the host stopped was allowed then. Its outcome must not be
 * hidden.
 */
export function toolsWithinBudgets(perform: Performer, room: TenantRoom): Performer {
  const underWay = new Map<string, { readonly refusal: Promise<RunError | undefined>; calls: number }>();
  const refused = new Map<string, RunError>();

  async function performTogether(effect: Effect, context: Parameters<Performer>[1]) {
    const group = groupOf(effect);
    const shared = underWay.get(group) ?? { refusal: refusalOf(effect, group), calls: 0 };
    shared.calls += 1;
    underWay.set(group, shared);
    try {
      const error = await shared.refusal;
      return error ? ({ kind: 'failed', error, retryable: false } as const) : await perform(effect, context);
    } finally {
      shared.calls -= 1;
      if (shared.calls === 0) underWay.delete(group);
    }
  }

  async function refusalOf({ tenant }: Effect, group: string): Promise<RunError | undefined> {
    const error = refused.get(group) ?? (await room.refusal(tenant, 'tool'));
    if (error) refused.set(group, error);
    for (const oldest of refused.keys()) if (refused.size > MOST_REFUSED) refused.delete(oldest);
    return error;
  }

  return (effect, context) => (effect.again ? perform(effect, context) : performTogether(effect, context));
}

/** The calls of one answer of a model. */
function groupOf({ tenant, runId, nodeId, execution, attempt, request }: Effect): string {
  const of = isJsonObject(request) ? (request.of ?? null) : null;
  return JSON.stringify([tenant, runId, nodeId, execution, attempt, of]);
}
