import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isLoopback } from './loopback.ts';
import { type Environment, type Flags, flagOf } from './settings/given.ts';
import { wantsColour, wantsStacks } from './settings/output-wishes.ts';
import { readSettings, SETTINGS, type Settings } from './settings.ts';

const KEY = 'a-key-of-24-characters-x';
const SEALING_KEY = '0f'.repeat(32);

const FOLDER = mkdtempSync(join(tmpdir(), 'baton-settings-'));
const MODELS_FILE = join(FOLDER, 'models.json');
writeFileSync(MODELS_FILE, '{"providers": {"local": {"kind": "scripted"}}}');
const TOOLS_FILE = join(FOLDER, 'tools.json');
writeFileSync(TOOLS_FILE, '{"limits": {"baton:fetch": {"calls": 5, "perSeconds": 60}}}');
const BUDGETS_FILE = join(FOLDER, 'budgets.json');
writeFileSync(BUDGETS_FILE, '{"acme": {"day": {"maxTokens": 5}}}');
afterAll(() => rmSync(FOLDER, { recursive: true }));

function accepted(env: Environment, flags: Flags = {}): Settings {
  const reading = readSettings(env, flags);
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  return reading.settings;
}

function problems(env: Environment, flags: Flags = {}): readonly string[] {
  const reading = readSettings(env, flags);
  return reading.ok ? [] : reading.problems;
}

describe('readSettings', () => {
  it.each(['0.49', '0', '1.1', 'high', '-1'])('CONF-08 refuses a confidence floor of %s', (text) => {
    expect(problems({ BATON_CONFIDENCE_FLOOR: text })).toEqual([
      `BATON_CONFIDENCE_FLOOR is "${text}"; write a number from 0.5 to 1, such as 0.7`,
    ]);
  });

  it.each(['off', 'structured-output,', 'structured-output,none', 'escalation'])(
    'refuses the agent checks %s',
    (text) => {
      expect(problems({ BATON_AGENT_CHECKS: text })).toEqual([
        `BATON_AGENT_CHECKS is "${text}"; write structured-output, confidence-escalation, both with a comma in between, or none`,
      ]);
    },
  );

  it('needs nothing to be set', () => {
    expect(accepted({})).toEqual({
      host: '127.0.0.1',
      port: 4747,
      dataFolder: './.baton',
      databaseUrl: undefined,
      leaseMs: undefined,
      drainMs: 30_000,
      apiKey: undefined,
      secretsFile: undefined,
      sealingKey: undefined,
      workflowsFolder: undefined,
      agentsFolder: undefined,
      auditKeyFile: undefined,
      testSeams: false,
      hostId: undefined,
      publish: [],
      publicUrl: undefined,
      peerRateLimit: 100,
      console: true,
      rateLimit: 0,
      confidenceFloor: 0.5,
      agentChecks: ['structured-output', 'confidence-escalation'],
      webhookPrivate: false,
      corsOrigins: [],
      models: expect.objectContaining({ providers: {} }),
      modelCache: 'off',
      logLevel: 'warn',
      alwaysRefold: false,
    });
  });

  it.each<[Environment, Partial<Settings>]>([
    [{ BATON_HOST: 'localhost' }, { host: 'localhost' }],
    [{ BATON_HOST: '::1' }, { host: '::1' }],
    [{ BATON_HOST: '[::1]' }, { host: '::1' }],
    [{ BATON_PORT: '0' }, { port: 0 }],
    [{ BATON_PORT: '65535' }, { port: 65535 }],
    [
      { BATON_TLS_CERT: 'host.pem', BATON_TLS_KEY: 'host.key' },
      { tls: { file: 'host.pem', keyFile: 'host.key' } },
    ],
    [{ BATON_PORT: '' }, { port: 4747 }],
    [{ BATON_DATA: '/var/lib/baton' }, { dataFolder: '/var/lib/baton' }],
    [{ BATON_API_KEY: KEY }, { apiKey: KEY }],
    [{ BATON_SECRETS_FILE: '/etc/secrets.json' }, { secretsFile: '/etc/secrets.json' }],
    [{ BATON_SEALING_KEY: SEALING_KEY }, { sealingKey: SEALING_KEY }],
    [{ BATON_WORKFLOWS: 'flows' }, { workflowsFolder: 'flows' }],
    [{ BATON_AUDIT_KEY: 'audit.pem' }, { auditKeyFile: 'audit.pem' }],
    [{ BATON_TEST_SEAMS: '1' }, { testSeams: true }],
    [{ BATON_TEST_SEAMS: 'false' }, { testSeams: false }],
    [{ BATON_HOST_ID: 'baton-eu.1' }, { hostId: 'baton-eu.1' }],
    [
      { BATON_PUBLISH: 'translate, local.acme.writer,translate,' },
      { publish: ['translate', 'local.acme.writer'] },
    ],
    [{ BATON_PEER_RATE_LIMIT: '0' }, { peerRateLimit: 0 }],
    [{ BATON_PUBLIC_URL: 'https://b.example:8443' }, { publicUrl: 'https://b.example:8443' }],
    [{ BATON_RATE_LIMIT: '20' }, { rateLimit: 20 }],
    [{ BATON_CONFIDENCE_FLOOR: '0.75' }, { confidenceFloor: 0.75 }],
    [{ BATON_CONFIDENCE_FLOOR: '1' }, { confidenceFloor: 1 }],
    [{ BATON_AGENT_CHECKS: 'none' }, { agentChecks: [] }],
    [{ BATON_AGENT_CHECKS: 'structured-output' }, { agentChecks: ['structured-output'] }],
    [
      { BATON_AGENT_CHECKS: 'confidence-escalation, structured-output' },
      { agentChecks: ['structured-output', 'confidence-escalation'] },
    ],
    [
      { BATON_CORS_ORIGINS: ' https://a.example, http://b:3000,' },
      { corsOrigins: ['https://a.example', 'http://b:3000'] },
    ],
    [{ BATON_MODEL_CACHE: 'tenant' }, { modelCache: 'tenant' }],
    [{ BATON_MODEL_CACHE: 'off' }, { modelCache: 'off' }],
    [{ BATON_LOG_LEVEL: 'debug' }, { logLevel: 'debug' }],
    [{ BATON_ALWAYS_REFOLD: 'true' }, { alwaysRefold: true }],
  ])('reads %o', (env, expected) => {
    expect(accepted(env)).toMatchObject(expected);
  });

  it('reads the models file with the keys that it names, and says what is wrong with it', () => {
    const file = join(FOLDER, 'keyed.json');
    writeFileSync(
      file,
      '{"providers": {"far": {"kind": "openai", "key": {"env": "FAR_KEY"}}},\n"classes": {"general": "far/gpt-6-sol"}}',
    );
    expect(accepted({ BATON_MODELS: file, FAR_KEY: 'sk-far' }).models?.providers.far?.key).toEqual({
      value: 'sk-far',
    });
    expect(problems({ BATON_MODELS: file })).toEqual([
      `${file}, line 1: providers.far.key names the variable FAR_KEY, which is not set; set it, or remove the provider`,
    ]);
    expect(problems({ BATON_MODELS: '/no/such/file' })).toEqual([
      'BATON_MODELS is "/no/such/file", which cannot be read; write the name of a JSON file',
    ]);
    expect(accepted({ ANTHROPIC_API_KEY: 'sk-a' }).models?.classes.general.provider).toBe('anthropic');
  });

  it.each(['no', '0', 'OFF'])('refuses %s as a switch of the console', (text) => {
    expect(problems({ BATON_CONSOLE: text })).toEqual([
      `BATON_CONSOLE is "${text}"; write off to serve no console, or on`,
    ]);
    expect(accepted({ BATON_CONSOLE: 'on' }).console).toBe(true);
  });

  it('prefers a flag to the variable of the same name', () => {
    expect(accepted({ BATON_PORT: '1', BATON_DATA: 'env' }, { port: '2', data: 'flag' })).toMatchObject({
      port: 2,
      dataFolder: 'flag',
    });
  });

  it('takes every setting as a flag too', () => {
    const flags = {
      host: 'localhost',
      port: '0',
      tlsCert: 'host.pem',
      tlsKey: 'host.key',
      data: 'd',
      databaseUrl: 'postgres://u:p@db/baton',
      lease: '2',
      drain: '0',
      restateUrl: 'http://restate:8080',
      restateListen: '127.0.0.1:9081',
      perform: 'model',
      restateAdmin: 'http://restate:9070',
      restateEndpoint: 'http://pool:9080',
      restateIdentityKey: 'publickeyv1_abc',
      apiKey: KEY,
      secretsFile: 's.json',
      sealingKey: SEALING_KEY,
      workflows: 'w',
      agents: 'a',
      models: MODELS_FILE,
      auditKey: 'k',
      testSeams: true,
      confidenceFloor: '0.9',
      hostId: 'h',
      publish: 'w',
      publicUrl: 'https://b.example/',
      peerRateLimit: '9',
      console: 'off',
      oidcIssuer: 'https://id.example',
      oidcClientId: 'baton',
      oidcClientSecret: 'hidden',
      oidcRoles: '[{"claim":"groups","value":"ops","tenant":"default","role":"operator"}]',
      agentChecks: 'structured-output',
      rateLimit: '7',
      maxConnections: '500',
      maxConnectionsPerAddress: '50',
      maxTreeRuns: '20',
      maxEffects: '8',
      maxState: '2',
      maxLogEvents: '5000',
      tenantStorage: '300',
      retention: '90',
      memoryRetention: '30',
      webhookPrivate: true,
      corsOrigins: 'https://a.example',
      modelCache: 'tenant',
      logLevel: 'info',
      tools: TOOLS_FILE,
      budgets: BUDGETS_FILE,
      alwaysRefold: true,
    };
    expect(Object.keys(flags)).toHaveLength(SETTINGS.length);
    expect(accepted({}, flags)).toEqual({
      host: 'localhost',
      port: 0,
      tls: { file: 'host.pem', keyFile: 'host.key' },
      dataFolder: 'd',
      databaseUrl: 'postgres://u:p@db/baton',
      leaseMs: 2000,
      drainMs: 0,
      restate: {
        url: 'http://restate:8080',
        listen: { host: '127.0.0.1', port: 9081 },
        perform: ['model'],
        adminUrl: 'http://restate:9070',
        endpointUrl: 'http://pool:9080',
        identityKey: 'publickeyv1_abc',
      },
      apiKey: KEY,
      secretsFile: 's.json',
      sealingKey: SEALING_KEY,
      workflowsFolder: 'w',
      agentsFolder: 'a',
      auditKeyFile: 'k',
      testSeams: true,
      confidenceFloor: 0.9,
      hostId: 'h',
      publish: ['w'],
      publicUrl: 'https://b.example',
      peerRateLimit: 9,
      console: false,
      oidc: {
        issuer: 'https://id.example',
        clientId: 'baton',
        clientSecret: 'hidden',
        rules: [{ claim: 'groups', value: 'ops', tenant: 'default', role: 'operator' }],
      },
      agentChecks: ['structured-output'],
      rateLimit: 7,
      maxConnections: 500,
      maxConnectionsPerAddress: 50,
      maxTreeRuns: 20,
      maxEffects: 8,
      maxStateCharacters: 2 * 1024 * 1024,
      maxLogEvents: 5000,
      maxTenantBytes: 300 * 1024 * 1024,
      retentionMs: 90 * 86_400_000,
      memoryRetentionMs: 30 * 86_400_000,
      webhookPrivate: true,
      corsOrigins: ['https://a.example'],
      models: expect.objectContaining({ providers: { local: expect.anything() } }),
      modelCache: 'tenant',
      logLevel: 'info',
      tools: { mcp: [], http: [], limits: [{ tools: 'baton:fetch', calls: 5, perSeconds: 60 }] },
      tenantBudgets: new Map([['acme', { day: { maxTokens: 5 } }]]),
      alwaysRefold: true,
    });
  });

  it('says what is wrong with the file of budgets', () => {
    const file = join(FOLDER, 'wrong-budgets.json');
    writeFileSync(file, '{"acme": {\n"week": {"maxTokens": 5}}}');
    expect(problems({ BATON_BUDGETS: file })).toEqual([
      `${file}, line 2: acme.week is not known here; write one of day, month`,
    ]);
    expect(problems({ BATON_BUDGETS: join(FOLDER, 'none.json') })).toEqual([
      expect.stringMatching(/^BATON_BUDGETS is ".*none\.json", which cannot be read; write the name/),
    ]);
  });

  it('reads the tools file with the variables that it names, and says what is wrong with it', () => {
    const file = join(FOLDER, 'named.json');
    writeFileSync(file, '{"mcp": {"files": {"command": "npx",\n"env": {"TOKEN": {"env": "FILES_TOKEN"}}}}}');
    expect(accepted({ BATON_TOOLS: file, FILES_TOKEN: 'token-1' }).tools?.mcp[0]?.connection).toMatchObject({
      env: { TOKEN: { kind: 'env', text: 'token-1' } },
    });
    expect(problems({ BATON_TOOLS: file })).toEqual([
      `${file}, line 2: mcp.files.env.TOKEN.env names the environment variable FILES_TOKEN, which is not set; set it before the start`,
    ]);
    expect(problems({ BATON_TOOLS: join(FOLDER, 'none.json') })).toEqual([
      expect.stringMatching(
        /^BATON_TOOLS is ".*none\.json", which cannot be read; write the name of a JSON file$/,
      ),
    ]);
  });

  it.each<[Environment, RegExp]>([
    [{ BATON_HOST: 'not a host' }, /^BATON_HOST is "not a host".* such as 127\.0\.0\.1$/],
    [{ BATON_TLS_CERT: 'host.pem' }, /^BATON_TLS_CERT and BATON_TLS_KEY belong together; set both/],
    [{ BATON_TLS_KEY: 'host.key' }, /belong together/],
    [{ BATON_HOST_ID: 'a/b' }, /^BATON_HOST_ID is "a\/b"; write letters, digits/],
    [{ BATON_PUBLIC_URL: 'https://b.example/baton' }, /^BATON_PUBLIC_URL is .* without a path/],
    [{ BATON_PUBLISH: 'ours,peer:acme/theirs' }, /^BATON_PUBLISH names "peer:acme\/theirs"; write ids/],
    [{ BATON_PEER_RATE_LIMIT: 'few' }, /^BATON_PEER_RATE_LIMIT is "few"/],
    [{ BATON_RETENTION: 'soon' }, /^BATON_RETENTION is "soon".*whole number of days/],
    [{ BATON_RETENTION: '0' }, /^BATON_RETENTION is "0"/],
    [{ BATON_MAX_TREE_RUNS: '0' }, /^BATON_MAX_TREE_RUNS is "0"; write a whole number from 1 on/],
    [{ BATON_MAX_LOG_EVENTS: 'many' }, /^BATON_MAX_LOG_EVENTS is "many"/],
    [{ BATON_MAX_STATE: '0' }, /^BATON_MAX_STATE is "0"; write .* megabytes from 1 to 128/],
    [{ BATON_MAX_STATE: '129' }, /^BATON_MAX_STATE is "129"/],
    [{ BATON_TENANT_STORAGE: '2 GB' }, /^BATON_TENANT_STORAGE is "2 GB".* or 0 for no limit/],
    [{ BATON_PORT: 'http' }, /^BATON_PORT is "http".*from 0 to 65535/],
    [{ BATON_PORT: '65536' }, /^BATON_PORT is "65536"/],
    [{ BATON_PORT: '-1' }, /^BATON_PORT is "-1"/],
    [{ BATON_PORT: '80.5' }, /^BATON_PORT is "80\.5"/],
    [{ BATON_API_KEY: 'short' }, /^BATON_API_KEY has only 5 characters; write at least 16/],
    [{ BATON_API_KEY: 'with a space in the middle' }, /^BATON_API_KEY holds a space/],
    [{ BATON_SEALING_KEY: 'abc' }, /^BATON_SEALING_KEY is not a key; write 64 hexadecimal digits/],
    [{ BATON_TEST_SEAMS: 'yes' }, /^BATON_TEST_SEAMS is "yes"; write 1/],
    [{ BATON_ALWAYS_REFOLD: 'on' }, /^BATON_ALWAYS_REFOLD is "on"; write 1/],
    [{ BATON_RATE_LIMIT: 'many' }, /^BATON_RATE_LIMIT is "many"; write a whole number/],
    [{ BATON_CORS_ORIGINS: '*' }, /^BATON_CORS_ORIGINS names "\*".*write each as https/],
    [
      { BATON_CORS_ORIGINS: 'https://a.example/path' },
      /^BATON_CORS_ORIGINS names "https:\/\/a\.example\/path"/,
    ],
    [{ BATON_MAX_CONNECTIONS: '0' }, /^BATON_MAX_CONNECTIONS is "0"; write a whole number.*from 1/],
    [{ BATON_MAX_CONNECTIONS_PER_ADDRESS: 'x' }, /^BATON_MAX_CONNECTIONS_PER_ADDRESS is "x".*0 for no limit/],
    [{ BATON_MODEL_CACHE: 'all' }, /^BATON_MODEL_CACHE is "all"; write tenant/],
    [{ BATON_LOG_LEVEL: 'loud' }, /^BATON_LOG_LEVEL is "loud"; write one of silent, fatal/],
  ])('refuses %o and says what to write', (env, message) => {
    expect(problems(env)).toEqual([expect.stringMatching(message)]);
  });

  it('names the flag when the wrong value came from a flag', () => {
    expect(problems({ BATON_PORT: '4747' }, { port: 'x' })[0]).toMatch(/^--port is "x"/);
  });

  it('reports every problem at once', () => {
    expect(problems({ BATON_PORT: 'x', BATON_LOG_LEVEL: 'y' })).toHaveLength(2);
  });

  it('never shows a key', () => {
    expect(problems({ BATON_API_KEY: 'hunter2' }).join()).not.toContain('hunter2');
    expect(problems({ BATON_SEALING_KEY: 'hunter2' }).join()).not.toContain('hunter2');
  });
});

describe('a host that other machines can reach', () => {
  const open = { BATON_HOST: '0.0.0.0' };

  it('needs an API key', () => {
    expect(problems(open)).toEqual([expect.stringMatching(/^BATON_API_KEY is not set.*0\.0\.0\.0/)]);
    expect(accepted({ ...open, BATON_API_KEY: KEY }).apiKey).toBe(KEY);
  });

  it('complains once about a key that is too short', () => {
    expect(problems({ ...open, BATON_API_KEY: 'short' })).toHaveLength(1);
  });

  it('has no test seams', () => {
    const env = { ...open, BATON_API_KEY: KEY, BATON_TEST_SEAMS: '1' };
    expect(problems(env)).toEqual([expect.stringMatching(/^BATON_TEST_SEAMS.*leave it out/)]);
  });

  it('limits the rate of each key unless told otherwise', () => {
    expect(accepted({ ...open, BATON_API_KEY: KEY }).rateLimit).toBe(500);
    expect(accepted({ ...open, BATON_API_KEY: KEY, BATON_RATE_LIMIT: '0' }).rateLimit).toBe(0);
  });
});

describe('isLoopback', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.8.9.10', true],
    ['localhost', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['0.0.0.0', false],
    ['::', false],
    ['192.168.1.4', false],
    ['example.com', false],
    ['localhost.example.com', false],
  ])('%s: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });
});

describe('names that are no settings', () => {
  it('are warned about, with the nearest setting', () => {
    const reading = readSettings({ BATON_PROT: '1', BATON_WORKFLOW: 'x', PORT: '3', BATONS: '1' }, {});
    expect(reading.warnings).toEqual([
      expect.stringMatching(/^BATON_PROT is not a setting.*did you mean BATON_PORT\?$/),
      expect.stringMatching(/^BATON_WORKFLOW is not a setting.*did you mean BATON_WORKFLOWS\?$/),
    ]);
  });
});

it('names flags after their variables', () => {
  expect(flagOf('BATON_API_KEY')).toBe('--api-key');
  expect(flagOf('BATON_PORT')).toBe('--port');
});

it.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ TERM: 'dumb' }, true, false],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '' }, false, false],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
])('with %o on a terminal (%s), colour is %s', (env, terminal, colour) => {
  expect(wantsColour(env, terminal)).toBe(colour);
});

it.each([
  [{}, false],
  [{ BATON_LOG_LEVEL: 'info' }, false],
  [{ BATON_LOG_LEVEL: 'debug' }, true],
  [{ BATON_LOG_LEVEL: 'trace' }, true],
])('shows stacks with %o: %s', (env, shown) => {
  expect(wantsStacks(env)).toBe(shown);
});
