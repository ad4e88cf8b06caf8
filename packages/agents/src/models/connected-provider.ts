import type { ModelAnswer, ModelCall } from '@baton/engine/ports';
import { type BreakerState, type CallOutcome, circuitBreaker } from './circuit-breaker.ts';
import { fairSlots } from './fair-slots.ts';
import { type Fault, fault } from './faults.ts';
import type { ModelsConfig, ProviderConfig, ProviderKey, ProviderKind } from './models-config.ts';
import { costAt, ownPrices, withCost } from './prices.ts';
import { scriptedProvider } from './scripted.ts';
import type { Later } from './timers.ts';
import type { Vendors } from './vendors.ts';

/** One provider of the configuration: bounds its calls, looks up its key and watches whether it works. */
export interface ConnectedProvider {
  readonly kind: ProviderKind;
  readonly reexecutable: boolean;
  /** The provider of the request is this one. */
  ask(call: ModelCall): Promise<ModelAnswer>;
  /** Calls are refused for a while, because the provider failed several times in a row. */
  isRefusing(): boolean;
  health(): ProviderHealth;
}

export interface ProviderHealth {
  readonly state: 'working' | 'failing' | 'unavailable';
  readonly faultsInARow: number;
  readonly activeCalls: number;
  readonly waitingCalls: number;
  /** The newest fault since the start of the host. */
  readonly lastFault?: { readonly code: string; readonly at: number };
}

export interface ConnectOptions {
  /** The secret of a tenant with this name. */
  secretOf(tenant: string, name: string): Promise<string | undefined>;
  now(): number;
  readonly later: Later;
  /** Asks every provider except the scripted one. */
  readonly vendors: Vendors;
  /** Faults in a row after which a provider is not asked any more, and for how long. */
  readonly opensAfter?: number;
  readonly openMs?: number;
}

const OPENS_AFTER = 3;
const OPEN_MS = 30_000;

const LOST =
  'The thread of the host that reads the answers of models was lost before the answer was complete.';

const IDLE = { state: 'working', faultsInARow: 0, activeCalls: 0, waitingCalls: 0 } as const;

export function connectProvider(
  id: string,
  config: ProviderConfig,
  prices: ModelsConfig['prices'],
  options: ConnectOptions,
): ConnectedProvider {
  const { kind, key: configuredKey, ...rest } = config;
  if (kind === 'scripted') return scriptedHere(prices, options);
  const vendor = { ...rest, kind };
  const { secretOf, now, vendors, opensAfter = OPENS_AFTER, openMs = OPEN_MS } = options;
  const breaker = circuitBreaker({ opensAfter, openMs, now });
  const slots = fairSlots(config.concurrency);
  let lastFault: ProviderHealth['lastFault'];
  /** The provider did not accept the operator's key at the newest call. The key of one tenant says nothing of it. */
  let isRefused = false;

  async function keyFor(tenant: string): Promise<string | undefined> {
    if (configuredKey === undefined) return undefined;
    return 'value' in configuredKey ? configuredKey.value : secretOf(tenant, configuredKey.secret);
  }

  async function askInSlot(call: ModelCall): Promise<ModelAnswer> {
    const key = await keyFor(call.tenant);
    if (key === undefined && configuredKey !== undefined)
      return fault('provider_key_missing', call.request, tenantKey(configuredKey, 'is not set'));
    const admission = breaker.admit();
    if (!admission.admitted) return fault('provider_unavailable', call.request, admission);
    try {
      const own = ownPrices(prices, { provider: id, model: call.request.model });
      const answer = await vendors.ask(call, { provider: id, config: vendor, key, prices: own });
      // The loss of a thread of this host says nothing about the provider.
      if (answer === undefined) return fault('provider_interrupted', call.request, { message: LOST });
      admission.report(call.signal.aborted ? 'neither' : outcomeOf(answer));
      if (answer.kind !== 'error' || answer.error.code !== 'provider_unauthorized') return answer;
      const { status } = answer.error.details ?? {};
      const told = {
        ...tenantKey(configuredKey, 'was refused'),
        ...(typeof status === 'number' && { status }),
      };
      return { ...answer, ...fault('provider_unauthorized', call.request, told) };
    } finally {
      admission.report('neither');
    }
  }

  return {
    kind,
    reexecutable: false,
    isRefusing: () => breaker.refusedForMs() !== undefined,
    async ask(call) {
      const retryAfterMs = breaker.refusedForMs();
      if (retryAfterMs !== undefined) return fault('provider_unavailable', call.request, { retryAfterMs });
      const free = await slots.take(call.tenant, call.signal);
      if (free === undefined) return fault('provider_interrupted', call.request);
      try {
        const answer = await askInSlot(call);
        if (call.signal.aborted) return answer;
        const code = answer.kind === 'error' ? answer.error.code : undefined;
        if (code !== undefined) lastFault = { code, at: now() };
        isRefused =
          code === 'provider_unauthorized' && configuredKey !== undefined && 'value' in configuredKey;
        return answer;
      } finally {
        free();
      }
    },
    health() {
      const { active, waiting } = slots.counts();
      const state = breaker.state();
      return {
        state: isRefused ? worse(stateOf(state)) : stateOf(state),
        faultsInARow: state.faultsInARow,
        activeCalls: active,
        waitingCalls: waiting,
        ...(lastFault && { lastFault }),
      };
    },
  };
}

/** The message for a key that each tenant sets by itself. */
function tenantKey(key: ProviderKey | undefined, problem: string): { readonly message?: string } {
  if (key === undefined || 'value' in key) return {};
  return {
    message:
      `The key of the provider is the secret "${key.secret}" of the tenant, which ${problem}. ` +
      `Set it with PUT /v1/secrets/${key.secret}.`,
  };
}

/** The scripted provider costs almost nothing, so it answers in the thread of its caller. */
function scriptedHere(prices: ModelsConfig['prices'], { later }: ConnectOptions): ConnectedProvider {
  const { ask, reexecutable } = scriptedProvider(later);
  return {
    kind: 'scripted',
    reexecutable,
    async ask(call) {
      const answer = await ask(call);
      const own = ownPrices(prices, call.request);
      return withCost(answer, own && answer.usage && costAt(own, answer.usage));
    },
    // Its faults are written in scripts, so they say nothing about the provider.
    isRefusing: () => false,
    health: () => IDLE,
  };
}

/** A provider that refuses the operator's key answers no call, although it can be reached. */
function worse(state: ProviderHealth['state']): ProviderHealth['state'] {
  return state === 'working' ? 'failing' : state;
}

function stateOf({ state, faultsInARow }: BreakerState): ProviderHealth['state'] {
  if (state !== 'closed') return 'unavailable';
  return faultsInARow > 0 ? 'failing' : 'working';
}

/** A request that the provider refuses shows that the provider works. Too many requests show neither. */
function outcomeOf(answer: ModelAnswer): CallOutcome {
  if (answer.kind !== 'error') return 'works';
  switch (answer.error.code) {
    case 'provider_rejected':
    case 'provider_unauthorized':
      return 'works';
    case 'provider_error':
    case 'provider_interrupted':
    case 'provider_timeout':
      return 'fails';
    case 'provider_busy':
      return isOverload(answer) ? 'fails' : 'neither';
    default:
      return 'neither';
  }
}

/** A limit on requests may be that of one tenant's key, so it must not keep other tenants away. */
function isOverload({ error }: Fault): boolean {
  const status = error.details?.status;
  return typeof status === 'number' && status >= 500;
}
