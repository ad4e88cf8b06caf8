import type { ModelAnswer, ModelCall } from '@baton/engine/ports';
import { type BreakerState, type CallOutcome, circuitBreaker } from './circuit-breaker.ts';
import { fairSlots } from './fair-slots.ts';
import { type Fault, fault } from './faults.ts';
import type { ProviderConfig, ProviderKind } from './models-config.ts';
import { scriptedProvider } from './scripted.ts';
import type { Later } from './timers.ts';

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
  /** Faults in a row after which a provider is not asked any more, and for how long. */
  readonly opensAfter?: number;
  readonly openMs?: number;
}

const OPENS_AFTER = 3;
const OPEN_MS = 30_000;

const IDLE = { state: 'working', faultsInARow: 0, activeCalls: 0, waitingCalls: 0 } as const;

export function connectProvider(
  id: string,
  config: ProviderConfig,
  options: ConnectOptions,
): ConnectedProvider {
  const { kind } = config;
  if (kind === 'scripted') {
    // Its faults are written in scripts, so they say nothing about the provider.
    const scripted = scriptedProvider(options.later);
    return { ...scripted, kind, isRefusing: () => false, health: () => IDLE };
  }
  const vendor = { ...config, kind };
  const { secretOf, now, later, opensAfter = OPENS_AFTER, openMs = OPEN_MS } = options;
  const breaker = circuitBreaker({ opensAfter, openMs, now });
  const slots = fairSlots(config.concurrency);
  let lastFault: ProviderHealth['lastFault'];

  async function keyFor(tenant: string): Promise<string | undefined> {
    const { key } = config;
    if (key === undefined) return undefined;
    return 'value' in key ? key.value : secretOf(tenant, key.secret);
  }

  async function askInSlot(call: ModelCall): Promise<ModelAnswer> {
    const key = await keyFor(call.tenant);
    if (key === undefined && config.key !== undefined) return fault('provider_key_missing', call.request);
    const admission = breaker.admit();
    if (!admission.admitted) return fault('provider_unavailable', call.request, admission);
    try {
      // The packages of the vendors are large, so they are loaded with the first call.
      const { askVendor } = await import('./provider.ts');
      const answer = await askVendor(call, { provider: id, config: vendor, key, later, now });
      admission.report(call.signal.aborted ? 'neither' : outcomeOf(answer));
      return answer;
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
        if (answer.kind === 'error' && !call.signal.aborted)
          lastFault = { code: answer.error.code, at: now() };
        return answer;
      } finally {
        free();
      }
    },
    health() {
      const { active, waiting } = slots.counts();
      const state = breaker.state();
      return {
        state: stateOf(state),
        faultsInARow: state.faultsInARow,
        activeCalls: active,
        waitingCalls: waiting,
        ...(lastFault && { lastFault }),
      };
    },
  };
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
