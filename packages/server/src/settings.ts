import type { HostLimits } from '@baton/engine';
import type { ConnectionPatience } from './http/connections/limits.ts';

/** Everything a host can be told. Read and checked once by whoever starts it; nothing below reads the environment. */
export interface HostSettings {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly dataFolder: string;
  /** The operator's key: every scope, tenant `default`. */
  readonly apiKey: string;
  /** Where the operator's secrets are. Only its owner may be able to read it. */
  readonly secretsFile?: string;
  /** Seals sensitive values, in hexadecimal digits; without one the host makes a key and keeps it with the data. */
  readonly sealingKey?: string;
  /** A file with the Ed25519 key that signs the audit trail; by default one in the data folder, made when there is none. */
  readonly auditKeyFile?: string;
  /** A file with the public audit keys of other hosts, whose bundles count as vouched for. */
  readonly trustedKeysFile?: string;
  /** Every `*.json` in it is registered at start, for all tenants. */
  readonly workflowsFolder?: string;
  /** Registered at start, for all tenants. */
  readonly builtinWorkflows?: readonly unknown[];
  /** Opens the endpoints that conformance suites drive. Never in production. */
  readonly testSeams: boolean;
  /** Folds every stored slice again and compares: slow, and the cheapest test of determinism there is. */
  readonly alwaysReplay: boolean;
  /** Requests a second for each key; 0 is no limit. */
  readonly rateLimit: number;
  /** Decisions less sure than this are put before a person. From 0.5 to 1. */
  readonly confidenceFloor: number;
  /** Runs of one tree that have not ended. */
  readonly maxTreeRuns?: number;
  /** Characters of the variables, channels and outputs of one run. */
  readonly maxStateCharacters?: number;
  /** Events in the log of one run. */
  readonly maxLogEvents?: number;
  /** Bytes that a tenant may store; 0 is no limit. */
  readonly maxTenantBytes?: number;
  /** How long runs are kept after they ended; for ever when not given. */
  readonly retentionMs?: number;
  /** How long earlier versions of shared memory are kept; as long as runs when not given. */
  readonly memoryRetentionMs?: number;
  /** With `tenant`, an answer of a model is used again where the same tenant asks the same. */
  readonly modelCache: 'off' | 'tenant';
  readonly corsOrigins: readonly string[];
  readonly logLevel: string;
  readonly bodyLimitBytes: number;
  /** Connections at once; fewer where the process may not have so many files open. */
  readonly maxConnections?: number;
  /** Connections from one remote address; 0 is no bound. Without it, a quarter of all, and none on loopback. */
  readonly maxConnectionsPerAddress?: number;
  /** Timeouts of connections, where they differ from the usual ones. */
  readonly patience?: Partial<ConnectionPatience>;
  /** How long a link to an interrupt stays valid. */
  readonly tokenTtlMs: number;
  /** Put before the paths of links that leave the host, such as `https://baton.example.com`. */
  readonly publicUrl?: string;
}

const DAY_MS = 86_400_000;

export const DEFAULT_SETTINGS = {
  host: '127.0.0.1',
  port: 3000,
  testSeams: false,
  alwaysReplay: false,
  rateLimit: 0,
  confidenceFloor: 0.5,
  modelCache: 'off',
  corsOrigins: [],
  logLevel: 'info',
  bodyLimitBytes: 4 * 1024 * 1024,
  tokenTtlMs: 30 * DAY_MS,
} as const satisfies Partial<HostSettings>;

/** The limits of the engine that an operator has set; the others are the engine's own. */
export function limitsIn(settings: HostSettings): Partial<HostLimits> {
  const { confidenceFloor, maxTreeRuns, maxStateCharacters, maxLogEvents, maxTenantBytes } = settings;
  return {
    confidenceFloor,
    ...(maxTreeRuns !== undefined && { treeRuns: maxTreeRuns }),
    ...(maxStateCharacters !== undefined && { stateCharacters: maxStateCharacters }),
    ...(maxLogEvents !== undefined && { logEvents: maxLogEvents }),
    ...(maxTenantBytes !== undefined && { tenantBytes: maxTenantBytes }),
  };
}
