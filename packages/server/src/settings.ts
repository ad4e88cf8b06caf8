import type { ModelsConfig, TenantBudgets, ToolsConfig } from '@baton/agents';
import type { HostLimits } from '@baton/engine';
import type { AgentCheck } from '@baton/protocol';
import type { RestateSettings } from '@baton/scheduler-restate';
import type { ConnectionPatience } from './http/connections/limits.ts';
import type { CertificateFiles } from './peers/tls-files.ts';
import type { OidcSettings } from './sessions/oidc/oidc-settings.ts';
import type { StorageLocation } from './storage/open-storage.ts';
import type { TraceSettings } from './traces/trace-settings.ts';

/** All settings of a host. The caller reads and checks them once; the host does not read the environment. */
export interface HostSettings {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /**
   * The certificate with which the host serves https, and its key. They are read at the start. Absent: the host
   * serves http, and a proxy in front of it ends TLS.
   */
  readonly tls?: CertificateFiles | undefined;
  readonly dataFolder: string;
  /** The Postgres database that this host shares with others. Absent: SQLite in the data folder. */
  readonly databaseUrl?: string | undefined;
  /** A host of the database that is silent for so long is replaced by the others. */
  readonly leaseMs?: number;
  /** How long a host that stops waits for the effects that it performs, before others take them over. */
  readonly drainMs?: number;
  /** Restate chooses the hosts that perform effects. Only with `databaseUrl`. Absent: a host performs what it intends. */
  readonly restate?: RestateSettings | undefined;
  /** The operator's key: every scope, tenant `default`. */
  readonly apiKey: string;
  /** The file with the operator's secrets. Only its owner may be able to read it. */
  readonly secretsFile?: string;
  /**
   * The key that seals sensitive values, in hexadecimal digits. Absent: the host makes one and stores it with
   * the data.
   */
  readonly sealingKey?: string;
  /**
   * The file with the Ed25519 key that signs the audit trail. Absent: a file in the data folder, made when it
   * is missing.
   */
  readonly auditKeyFile?: string;
  /** The workflows in this folder are registered at the start, for all tenants. See `readWorkflowsFolder`. */
  readonly workflowsFolder?: string;
  /** Registered at start, for all tenants. */
  readonly builtinWorkflows?: readonly unknown[];
  /** Opens the seams, the endpoints for conformance suites. Never set this in production. */
  readonly testSeams: boolean;
  /** Refolds every stored slice and compares the states. This is slow, and a strong test of determinism. */
  readonly alwaysRefold: boolean;
  /** Requests in a second for each key; 0 means no limit. */
  readonly rateLimit: number;
  /** The id by which other hosts know this one. Absent: the id that was made with the storage. */
  readonly hostId?: string | undefined;
  /** The ids of the workflows and agents that every caller of A2A and MCP may use. */
  readonly publish?: readonly string[];
  /** Requests in a second for each peer; 0 means no limit. */
  readonly peerRateLimit: number;
  /** Decisions with a lower confidence are put before a person. From 0.5 to 1. */
  readonly confidenceFloor: number;
  /** The checks of agents that new runs make. Absent: all. */
  readonly agentChecks?: readonly AgentCheck[];
  /** Runs of one tree that have not ended. */
  readonly maxTreeRuns?: number;
  /** Characters of the variables, channels and outputs of one run. */
  readonly maxStateCharacters?: number;
  /** Events in the log of one run. */
  readonly maxLogEvents?: number;
  /** Bytes that a tenant may store; 0 means no limit. */
  readonly maxTenantBytes?: number;
  /** Effects of one kind that are performed at once. */
  readonly maxEffects?: number;
  /** How long runs are kept after they ended. Absent: for ever. */
  readonly retentionMs?: number;
  /** How long earlier versions of shared memory are kept. Absent: as long as runs. */
  readonly memoryRetentionMs?: number;
  /** With `tenant`, the answer of a model is used again when the same tenant sends the same request. */
  readonly modelCache: 'off' | 'tenant';
  /** The providers of models. Absent: every class of models is scripted. */
  readonly models?: ModelsConfig;
  /** The tools of agents. Absent: only those that the host has by itself. */
  readonly tools?: ToolsConfig;
  /** What tenants may use. Absent: no limits. */
  readonly tenantBudgets?: TenantBudgets;
  /** Where spans are sent. Absent: nowhere, and none are made. */
  readonly traces?: TraceSettings | undefined;
  /** The agents in this folder are registered at the start, for all tenants. See `readAgentsFolder`. */
  readonly agentsFolder?: string | undefined;
  /** Webhooks may also send to http addresses and to private networks. */
  readonly webhookPrivate?: boolean;
  readonly corsOrigins: readonly string[];
  readonly logLevel: string;
  readonly bodyLimitBytes: number;
  /** Connections at once. Fewer, if the process may not open so many files. */
  readonly maxConnections?: number;
  /**
   * Connections from one remote address; 0 means no bound. Absent: a quarter of all, and no bound on
   * loopback.
   */
  readonly maxConnectionsPerAddress?: number;
  /** Timeouts of connections that differ from the defaults. */
  readonly patience?: Partial<ConnectionPatience>;
  /** How long a link to an interrupt stays valid. */
  readonly tokenTtlMs: number;
  /** The beginning of links that leave the host, such as `https://baton.example.com`. */
  readonly publicUrl?: string | undefined;
  /** The folder of the built console, which the host serves. Absent: the host serves its API only. */
  readonly consoleFolder?: string;
  /** The OpenID provider with which people sign in to the console. Absent: they sign in with keys and links. */
  readonly oidc?: OidcSettings | undefined;
}

const DAY_MS = 86_400_000;

export const DEFAULT_SETTINGS = {
  host: '127.0.0.1',
  port: 3000,
  testSeams: false,
  alwaysRefold: false,
  rateLimit: 0,
  peerRateLimit: 100,
  confidenceFloor: 0.5,
  modelCache: 'off',
  corsOrigins: [],
  logLevel: 'info',
  bodyLimitBytes: 4 * 1024 * 1024,
  tokenTtlMs: 30 * DAY_MS,
} as const satisfies Partial<HostSettings>;

export function locationIn({
  dataFolder,
  databaseUrl,
}: Pick<HostSettings, 'dataFolder' | 'databaseUrl'>): StorageLocation {
  if (databaseUrl !== undefined) return { kind: 'postgres', url: databaseUrl };
  return { kind: 'sqlite', folder: dataFolder };
}

/** The limits that an operator has set. The engine has defaults for the others. */
export function limitsIn(settings: HostSettings): Partial<HostLimits> {
  const { confidenceFloor, agentChecks, maxTreeRuns, maxStateCharacters, maxLogEvents } = settings;
  const { maxTenantBytes, maxEffects } = settings;
  return {
    confidenceFloor,
    ...(agentChecks && { agentChecks }),
    ...(maxTreeRuns !== undefined && { treeRuns: maxTreeRuns }),
    ...(maxStateCharacters !== undefined && { stateCharacters: maxStateCharacters }),
    ...(maxLogEvents !== undefined && { logEvents: maxLogEvents }),
    ...(maxTenantBytes !== undefined && { tenantBytes: maxTenantBytes }),
    ...(maxEffects !== undefined && { effectsAtOnce: maxEffects }),
  };
}
