import type { CapabilityDocument } from '@baton/protocol';
import type { CallOptions, CommandOptions, Connection } from './http/connection.ts';
import type { Answer } from './http/contract-types.ts';
import { ask, send } from './http/request.ts';
import type { RunMoved } from './interrupts.ts';

export type HostHealth = Answer<'checkHealth'>;

export interface HostReadiness {
  /** Whether the host accepts work. */
  readonly ready: boolean;
  /** The reason, when it does not: `stopping`, `engine-not-answering`, `storage-full` or `storage-failing`. */
  readonly status: string;
  readonly heldRuns?: number;
}

/** The host itself. The methods about facts, held runs and keys need the scope `host:operate`. */
export interface HostOperations {
  /** Whether the process is alive. */
  health(options?: CallOptions): Promise<HostHealth>;
  /** Whether the host accepts work. A host that does not is an answer, and no error. */
  readiness(options?: CallOptions): Promise<HostReadiness>;
  /** Counters in the Prometheus format. */
  metrics(options?: CallOptions): Promise<string>;
  /** The capabilities of the host. */
  capabilities(options?: CallOptions): Promise<CapabilityDocument>;
  /** The OpenAPI document of the host. */
  api(options?: CallOptions): Promise<Answer<'describeApi'>>;
  /** The A2A card of the host. */
  agentCard(options?: CallOptions): Promise<Answer<'readAgentCard'>>;
  /** The version, the storage, the retention and the limits of the host. */
  facts(options?: CallOptions): Promise<Answer<'readHost'>>;
  /** The hosts that share the data of this one. */
  hosts(options?: CallOptions): Promise<Answer<'listHosts'>>;
  /** The API keys of all tenants, without their secrets. */
  keys(options?: CallOptions): Promise<Answer<'listKeys'>['keys']>;
  /** Runs that stopped the engine and are held. */
  heldRuns(options?: CallOptions): Promise<Answer<'listHeldRuns'>>;
  releaseHeldRun(runId: string, options?: CommandOptions): Promise<RunMoved>;
  /** Encrypts the secrets of all tenants with a new key. */
  rotateSecrets(options?: CallOptions): Promise<Answer<'rotateSecrets'>>;
}

export function hostOperations(connection: Connection): HostOperations {
  return {
    health: (options) => ask(connection, 'checkHealth', options),
    async readiness(options) {
      const { status, text } = await send(connection, 'checkReadiness', options, [503]);
      return { ready: status === 200, ...(JSON.parse(text) as Omit<HostReadiness, 'ready'>) };
    },
    metrics: async (options) => (await send(connection, 'readMetrics', options)).text,
    capabilities: (options) => ask(connection, 'discover', options),
    api: (options) => ask(connection, 'describeApi', options),
    agentCard: (options) => ask(connection, 'readAgentCard', options),
    facts: (options) => ask(connection, 'readHost', options),
    hosts: (options) => ask(connection, 'listHosts', options),
    keys: async (options) => (await ask(connection, 'listKeys', options)).keys,
    heldRuns: (options) => ask(connection, 'listHeldRuns', options),
    releaseHeldRun: (runId, options) => ask(connection, 'releaseHeldRun', { params: { runId }, ...options }),
    rotateSecrets: (options) => ask(connection, 'rotateSecrets', options),
  };
}
