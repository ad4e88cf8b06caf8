import type { ModelAnswer, ModelCall, Models } from '@baton/engine/ports';
import { MODEL_CLASSES, type ModelClass } from '@baton/protocol';
import {
  type ConnectedProvider,
  type ConnectOptions,
  connectProvider,
  type ProviderHealth,
} from './connected-provider.ts';
import { defaultModel } from './default-models.ts';
import {
  DEFAULTS,
  type ModelsConfig,
  type ModelTarget,
  nameOf,
  type ProviderKind,
  SCRIPTED,
} from './models-config.ts';

/** The models of a host: which model serves a class, and the providers. */
export interface ConnectedModels extends Models {
  /**
   * The model for a class of models. An unknown class is `general`. `undefined` when the override names a
   * provider that is not connected, or one without a usual model and no model.
   */
  resolve(modelClass: string, override?: ModelOverride): ModelTarget | undefined;
  /** The models that may answer in place of this one. */
  fallbacksOf(target: ModelTarget): readonly ModelTarget[];
  health(): ModelsHealth;
  /** Calls that are under way end, and no further ones are made. */
  stop(): Promise<void>;
}

/** What a run states in `configurable.ai`. `model` may also be written as `provider/model`. */
interface ModelOverride {
  readonly provider?: string;
  readonly model?: string;
}

interface ModelsHealth {
  readonly classes: readonly (ModelTarget & {
    readonly modelClass: ModelClass;
    readonly fallbacks: readonly ModelTarget[];
  })[];
  readonly providers: readonly (ProviderHealth & { readonly id: string; readonly kind: ProviderKind })[];
}

export function connectModels(config: ModelsConfig, options: ConnectOptions): ConnectedModels {
  const configs: ModelsConfig['providers'] = {
    [SCRIPTED]: { ...DEFAULTS, kind: SCRIPTED },
    ...config.providers,
  };
  const providers = new Map(
    Object.entries(configs).map(
      ([id, one]) => [id, connectProvider(id, one, config.prices, options)] as const,
    ),
  );
  const fallbacks = new Map(
    MODEL_CLASSES.flatMap((name) => {
      const list = config.fallbacks[name];
      return list === undefined ? [] : [[nameOf(config.classes[name]), list] as const];
    }),
  );
  const fallbacksOf = (target: ModelTarget) => fallbacks.get(nameOf(target)) ?? [];

  async function ask(call: ModelCall, first: ConnectedProvider): Promise<ModelAnswer> {
    const { provider, model } = call.request;
    const others = fallbacksOf({ provider, model });
    if (others.length === 0) return first.ask(call);
    const heard = hearing(call);
    const answer = await first.ask(heard.call);
    const key = configs[provider]?.key;
    const ownKey = key === undefined || 'value' in key;
    if (!mayBeReplaced(answer, ownKey, first.isRefusing() && !heard.isTold())) return answer;
    for (const other of others) {
      if (call.signal.aborted) break;
      const instead = await providers
        .get(other.provider)
        ?.ask({ ...call, request: { ...call.request, ...other } });
      if (instead !== undefined && instead.kind !== 'error') return { ...instead, substitute: other };
    }
    return answer;
  }

  return {
    provider(id) {
      const found = providers.get(id);
      return found && { reexecutable: found.reexecutable, ask: (call) => ask(call, found) };
    },
    resolve: (modelClass, override = {}) => {
      const known = MODEL_CLASSES.find((name) => name === modelClass) ?? 'general';
      return overridden(config.classes[known], override, (id) => {
        const kind = providers.get(id)?.kind;
        return kind && { usual: defaultModel(kind, known) };
      });
    },
    fallbacksOf,
    health: () => ({
      classes: MODEL_CLASSES.map((modelClass) => {
        const target = config.classes[modelClass];
        return { modelClass, ...target, fallbacks: fallbacksOf(target) };
      }),
      providers: [...providers].map(([id, { kind, health }]) => ({ id, kind, ...health() })),
    }),
    stop: options.vendors.stop,
  };
}

/**
 * A refusal is an answer and is never replaced, and a request that the provider refuses would be refused
 * elsewhere too. A retryable fault is the caller's to repeat, unless the provider is no longer asked. A key of a
 * tenant that is not accepted does not lead to a provider that the operator pays.
 */
function mayBeReplaced(answer: ModelAnswer, ownKey: boolean, isRefusing: boolean): boolean {
  if (answer.kind !== 'error') return false;
  if (answer.error.code === 'provider_unavailable') return true;
  if (answer.error.code === 'provider_unauthorized') return ownKey;
  return answer.retryable && isRefusing;
}

/** Knows whether a part of the answer was told. Another model must not go on after it. */
function hearing(call: ModelCall): { readonly call: ModelCall; isTold(): boolean } {
  let told = false;
  return {
    call: {
      ...call,
      progress(text) {
        told = true;
        call.progress(text);
      },
      reasoned(text) {
        told = true;
        call.reasoned(text);
      },
    },
    isTold: () => told,
  };
}

/** A connected provider, and its usual model for the class if that is known. */
type Find = (id: string) => { readonly usual: string | undefined } | undefined;

function overridden(
  target: ModelTarget,
  { provider, model }: ModelOverride,
  find: Find,
): ModelTarget | undefined {
  if (provider !== undefined) {
    const found = find(provider);
    const chosen = model ?? (provider === target.provider ? target.model : found?.usual);
    return found && chosen !== undefined ? { provider, model: chosen } : undefined;
  }
  if (model === undefined) return target;
  const slash = model.indexOf('/');
  const named = model.slice(0, Math.max(slash, 0));
  return slash > 0 && find(named)
    ? { provider: named, model: model.slice(slash + 1) }
    : { provider: target.provider, model };
}
