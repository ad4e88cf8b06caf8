import type { ModelsConfig, TenantBudgets, ToolsConfig } from '@baton/agents';
import { AGENT_CHECKS, type AgentCheck } from '@baton/protocol';
import { nearest } from '@baton/protocol/nearest';
import type { OidcSettings, RestateSettings, TraceSettings } from '@baton/server';
import { isLoopback } from './loopback.ts';
import { readBudgetSettings, readModelSettings, readToolSettings } from './settings/file-settings.ts';
import { auditKeyFile, dataFolder, type Environment, type Flags, find } from './settings/given.ts';
import {
  CLUSTER_SETTINGS,
  type ClusterSettings,
  CONSOLE_SETTINGS,
  type ConsoleSettings,
  LISTENING_SETTINGS,
  type ListeningSettings,
  readClusterSettings,
  readConsoleSettings,
  readTls,
} from './settings/host-settings.ts';
import { OIDC_SETTINGS, readOidcSettings } from './settings/oidc-settings.ts';
import { PEER_SETTINGS, type PeerSettings, readPeerSettings } from './settings/peer-settings.ts';
import { RESTATE_SETTINGS, readRestateSettings } from './settings/restate-settings.ts';
import {
  LOG_LEVELS,
  type LogLevel,
  type ModelCache,
  type Parsed,
  parseAgentChecks,
  parseApiKey,
  parseConfidenceFloor,
  parseConnections,
  parseConnectionsPerAddress,
  parseCount,
  parseDays,
  parseHost,
  parseLogLevel,
  parseModelCache,
  parseOrigins,
  parsePort,
  parseRateLimit,
  parseSealingKey,
  parseStateSize,
  parseStorage,
  parseSwitch,
} from './settings/setting-values.ts';
import { readTraceSettings } from './settings/trace-settings.ts';

/** The settings of a host: environment variables and the flags of the same names, read and checked once. */
export interface Settings extends ListeningSettings, PeerSettings, ConsoleSettings, ClusterSettings {
  readonly dataFolder: string;
  /** The operator's key. Without it, a host on loopback creates a development key. */
  readonly apiKey: string | undefined;
  readonly secretsFile: string | undefined;
  /** Without it, the host creates a key in the data folder. */
  readonly sealingKey: string | undefined;
  readonly workflowsFolder: string | undefined;
  readonly agentsFolder: string | undefined;
  /** The file with the key that signs the audit trail, if the key is not in the data folder. */
  readonly auditKeyFile: string | undefined;
  readonly testSeams: boolean;
  readonly rateLimit: number;
  readonly maxConnections: number | undefined;
  readonly maxConnectionsPerAddress: number | undefined;
  readonly maxTreeRuns: number | undefined;
  readonly maxStateCharacters: number | undefined;
  readonly maxLogEvents: number | undefined;
  readonly maxTenantBytes: number | undefined;
  readonly maxEffects: number | undefined;
  /** A decision with a lower stated confidence needs a person. */
  readonly confidenceFloor: number;
  /** The checks of the results of agents that runs make. */
  readonly agentChecks: readonly AgentCheck[];
  /** How long ended runs and the history of shared memory are kept; for ever if not set. */
  readonly retentionMs: number | undefined;
  readonly memoryRetentionMs: number | undefined;
  readonly webhookPrivate: boolean;
  readonly corsOrigins: readonly string[];
  readonly models: ModelsConfig | undefined;
  readonly modelCache: ModelCache;
  readonly logLevel: LogLevel;
  readonly tools: ToolsConfig | undefined;
  readonly tenantBudgets: TenantBudgets | undefined;
  /** Restate, if it chooses the hosts that perform effects. */
  readonly restate: RestateSettings | undefined;
  /** The OpenID provider with which people sign in to the console. */
  readonly oidc: OidcSettings | undefined;
  /** Where spans are sent. */
  readonly traces: TraceSettings | undefined;
  readonly alwaysRefold: boolean;
}

/** All settings, in the order of the help text. `value` is empty for switches. */
export const SETTINGS = [
  ...LISTENING_SETTINGS,
  { name: 'BATON_DATA', value: 'folder', unset: './.baton', meaning: 'folder that holds everything stored' },
  ...CLUSTER_SETTINGS,
  ...RESTATE_SETTINGS,
  {
    name: 'BATON_API_KEY',
    value: 'key',
    unset: 'a development key on loopback, else refused',
    meaning: "the operator's key, at least 16 characters",
  },
  {
    name: 'BATON_SECRETS_FILE',
    value: 'file',
    unset: 'none',
    meaning: 'JSON file of secrets by tenant, readable by its owner only',
  },
  {
    name: 'BATON_SEALING_KEY',
    value: 'key',
    unset: 'a key kept with the data',
    meaning: 'seals sensitive values; 64 hexadecimal digits',
  },
  {
    name: 'BATON_WORKFLOWS',
    value: 'folder',
    unset: 'none',
    meaning: 'workflow JSON files to register at start',
  },
  {
    name: 'BATON_AGENTS',
    value: 'folder',
    unset: 'none',
    meaning: 'agents to register at start: folders with agent.json or pack.json, and manifests',
  },
  {
    name: 'BATON_MODELS',
    value: 'file',
    unset: 'the providers whose keys are set, else the scripted provider',
    meaning: 'JSON file of model providers and the classes of models that they serve',
  },
  {
    name: 'BATON_TOOLS',
    value: 'file',
    unset: 'built-in tools only',
    meaning: 'JSON file with the MCP servers and HTTP tools that agents can call',
  },
  {
    name: 'BATON_BUDGETS',
    value: 'file',
    unset: 'no limits',
    meaning: 'JSON file with the tokens, costs and tool calls that tenants may use in a day or a month',
  },
  {
    name: 'BATON_AUDIT_KEY',
    value: 'file',
    unset: 'audit.key in the data folder, made at the first start',
    meaning: 'Ed25519 key as PEM that signs the audit trail',
  },
  ...PEER_SETTINGS,
  ...CONSOLE_SETTINGS,
  ...OIDC_SETTINGS,
  {
    name: 'BATON_RATE_LIMIT',
    value: 'number',
    unset: '0 on loopback, else 500',
    meaning: 'requests a second for each key; 0 is no limit',
  },
  {
    name: 'BATON_MAX_CONNECTIONS',
    value: 'number',
    unset: '10000, or fewer if the limit on open files is low',
    meaning: 'open connections; a new one closes the one that was idle longest',
  },
  {
    name: 'BATON_MAX_CONNECTIONS_PER_ADDRESS',
    value: 'number',
    unset: 'a quarter of all, no limit for loopback',
    meaning: 'connections from one address; a proxy is one address; 0 is no limit',
  },
  {
    name: 'BATON_MAX_TREE_RUNS',
    value: 'number',
    unset: '1000',
    meaning: 'runs of one tree that have not ended',
  },
  {
    name: 'BATON_MAX_STATE',
    value: 'megabytes',
    unset: '4',
    meaning: 'variables, channels and outputs of one run; one character counts as one byte',
  },
  {
    name: 'BATON_MAX_LOG_EVENTS',
    value: 'number',
    unset: '2000000',
    meaning: 'events in the log of one run',
  },
  {
    name: 'BATON_TENANT_STORAGE',
    value: 'megabytes',
    unset: '0',
    meaning: 'storage of one tenant; 0 is no limit',
  },
  {
    name: 'BATON_MAX_EFFECTS',
    value: 'number',
    unset: '64',
    meaning: 'effects of one kind, such as model calls, that are performed at once',
  },
  {
    name: 'BATON_CONFIDENCE_FLOOR',
    value: 'number',
    unset: '0.5',
    meaning: 'a decision with a lower stated confidence waits for a person; from 0.5 to 1',
  },
  {
    name: 'BATON_AGENT_CHECKS',
    value: 'list',
    unset: AGENT_CHECKS.join(','),
    meaning: 'checks of the results of agents that new runs make; none switches both off',
  },
  {
    name: 'BATON_RETENTION',
    value: 'days',
    unset: 'for ever',
    meaning: 'how long ended runs are kept; a run that a fork needs is kept longer',
  },
  {
    name: 'BATON_MEMORY_RETENTION',
    value: 'days',
    unset: 'as long as runs',
    meaning: 'how long earlier versions of shared memory and files are kept',
  },
  {
    name: 'BATON_WEBHOOK_PRIVATE',
    value: '',
    unset: 'off',
    meaning: 'webhooks may also send to http addresses, to this machine and to private networks',
  },
  {
    name: 'BATON_CORS_ORIGINS',
    value: 'list',
    unset: 'none',
    meaning: 'origins of web pages that may call the host, separated by commas',
  },
  {
    name: 'BATON_MODEL_CACHE',
    value: 'scope',
    unset: 'off',
    meaning: 'tenant: equal requests of a tenant to a model share one answer',
  },
  { name: 'BATON_LOG_LEVEL', value: 'level', unset: 'warn', meaning: LOG_LEVELS.join(', ') },
  {
    name: 'BATON_TEST_SEAMS',
    value: '',
    unset: 'off',
    meaning: 'endpoints for conformance suites; loopback only, in the repository of Baton only',
  },
  {
    name: 'BATON_ALWAYS_REFOLD',
    value: '',
    unset: 'off',
    meaning: 'refold every stored slice and compare; slow, for tests',
  },
] as const satisfies readonly { name: string; value: string; unset: string; meaning: string }[];

type SettingName = (typeof SETTINGS)[number]['name'];

/** Set for the commands that talk to a running host. The host itself does not use them. */
const OF_COMMANDS = ['BATON_URL'] as const;

type Reading =
  | { readonly ok: true; readonly settings: Settings; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[]; readonly warnings: readonly string[] };

export function readSettings(env: Environment, flags: Flags): Reading {
  const problems: string[] = [];
  const read = <T>(name: SettingName, parse: (text: string) => Parsed<T>, unset: T): T => {
    const given = find(name, env, flags);
    if (given === undefined) return unset;
    const parsed = parse(given.text);
    if ('value' in parsed) return parsed.value;
    problems.push(`${given.as} ${parsed.wrong}`);
    return unset;
  };

  const host = read('BATON_HOST', parseHost, '127.0.0.1');
  const local = isLoopback(host);
  const cluster = readClusterSettings(read);
  const names = RESTATE_SETTINGS.map(({ name }) => name).filter((name) => find(name, env, flags));
  const settings: Settings = {
    host,
    port: read('BATON_PORT', parsePort, 4747),
    tls: readTls((name) => find(name, env, flags)?.text, problems),
    dataFolder: dataFolder(env, flags),
    ...cluster,
    restate: readRestateSettings(read, { ...cluster, names }, problems),
    apiKey: read<string | undefined>('BATON_API_KEY', parseApiKey, undefined),
    secretsFile: find('BATON_SECRETS_FILE', env, flags)?.text,
    sealingKey: read<string | undefined>('BATON_SEALING_KEY', parseSealingKey, undefined),
    workflowsFolder: find('BATON_WORKFLOWS', env, flags)?.text,
    agentsFolder: find('BATON_AGENTS', env, flags)?.text,
    auditKeyFile: auditKeyFile(env, flags),
    testSeams: read('BATON_TEST_SEAMS', parseSwitch, false),
    ...readPeerSettings(read),
    ...readConsoleSettings(read),
    oidc: readOidcSettings((name) => find(name, env, flags)?.text, problems),
    rateLimit: read('BATON_RATE_LIMIT', parseRateLimit, local ? 0 : 500),
    maxConnections: read<number | undefined>('BATON_MAX_CONNECTIONS', parseConnections, undefined),
    maxConnectionsPerAddress: read<number | undefined>(
      'BATON_MAX_CONNECTIONS_PER_ADDRESS',
      parseConnectionsPerAddress,
      undefined,
    ),
    maxTreeRuns: read<number | undefined>('BATON_MAX_TREE_RUNS', parseCount, undefined),
    maxStateCharacters: read<number | undefined>('BATON_MAX_STATE', parseStateSize, undefined),
    maxLogEvents: read<number | undefined>('BATON_MAX_LOG_EVENTS', parseCount, undefined),
    maxTenantBytes: read<number | undefined>('BATON_TENANT_STORAGE', parseStorage, undefined),
    maxEffects: read<number | undefined>('BATON_MAX_EFFECTS', parseCount, undefined),
    confidenceFloor: read('BATON_CONFIDENCE_FLOOR', parseConfidenceFloor, 0.5),
    agentChecks: read<readonly AgentCheck[]>('BATON_AGENT_CHECKS', parseAgentChecks, AGENT_CHECKS),
    retentionMs: read<number | undefined>('BATON_RETENTION', parseDays, undefined),
    memoryRetentionMs: read<number | undefined>('BATON_MEMORY_RETENTION', parseDays, undefined),
    webhookPrivate: read('BATON_WEBHOOK_PRIVATE', parseSwitch, false),
    corsOrigins: read<readonly string[]>('BATON_CORS_ORIGINS', parseOrigins, []),
    models: readModelSettings(find('BATON_MODELS', env, flags), env, problems),
    modelCache: read<ModelCache>('BATON_MODEL_CACHE', parseModelCache, 'off'),
    logLevel: read<LogLevel>('BATON_LOG_LEVEL', parseLogLevel, 'warn'),
    tools: readToolSettings(find('BATON_TOOLS', env, flags), env, problems),
    tenantBudgets: readBudgetSettings(find('BATON_BUDGETS', env, flags), problems),
    traces: readTraceSettings(env, problems),
    alwaysRefold: read('BATON_ALWAYS_REFOLD', parseSwitch, false),
  };
  if (!local) problems.push(...unsafeInPublic(settings, find('BATON_API_KEY', env, flags) !== undefined));

  const warnings = unknownNames(env);
  return problems.length === 0 ? { ok: true, settings, warnings } : { ok: false, problems, warnings };
}

function unsafeInPublic(settings: Settings, keyGiven: boolean): string[] {
  const problems: string[] = [];
  if (!keyGiven) {
    problems.push(
      `BATON_API_KEY is not set, and BATON_HOST is ${settings.host}, which other machines can reach; ` +
        'set it to a secret of at least 16 characters (openssl rand -hex 24 makes one), ' +
        'or write BATON_HOST=127.0.0.1',
    );
  }
  if (settings.testSeams) {
    problems.push(
      `BATON_TEST_SEAMS lets callers change the host itself, and BATON_HOST is ${settings.host}, ` +
        'which other machines can reach; leave it out, or write BATON_HOST=127.0.0.1',
    );
  }
  return problems;
}

function unknownNames(env: Environment): string[] {
  const known: readonly string[] = [...SETTINGS.map((setting) => setting.name), ...OF_COMMANDS];
  return Object.keys(env)
    .filter((name) => name.startsWith('BATON_') && !known.some((setting) => setting === name))
    .map((name) => `${name} is not a setting and has no effect; did you mean ${nearest(name, known)}?`);
}
