import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Fetch } from '@baton/agents';
import { SCOPES } from '@baton/protocol';
import { DEFAULT_SETTINGS, type Host, type HostParts, type HostSettings, startHost } from '@baton/server';
import { openSqliteStore } from '@baton/store-sqlite';
import { type ObservedHost, observedHost } from '../contracts/observed-host.ts';
import { EXTENSION } from '../extension.ts';
import { checkLogs } from '../reference/check-logs.ts';
import { WORKFLOWS } from './workflows.ts';

/**
 * A real host on a free port, and a client that speaks plain HTTP to it. Most tests use `sharedHost`: the files of one
 * process share a host, and each call brings tenants that nobody else uses. A test that stops its host, looks into its
 * folder, needs another setting, or asks about the whole host, starts one of its own.
 */

export const OPERATOR_KEY = 'operator-key-for-tests';

export const ALL_SCOPES = [
  'manifest:read',
  'runs:create',
  'runs:read',
  'runs:cancel',
  'approvals:respond',
  'artifacts:read',
  'workflows:write',
];

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly body: any;
  readonly text: string;
}

export interface Sending {
  /** A bearer token; `null` sends none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, instead of `body` as JSON. */
  readonly raw?: string;
}

export interface TestHost {
  readonly url: string;
  readonly folder: string;
  /** The bearer token of the operator, for requests that are not sent with `send`. */
  readonly key: string;
  /** The name of a tenant on this host. */
  tenantOf(name: string): string;
  /** The bearer token that stands for one of the keys of the test. */
  keyOf(token: string): string;
  /** The routes of the host, and every answer of theirs that is not what its contract says. */
  readonly observed: ObservedHost;
  send(method: string, path: string, body?: unknown, sending?: Sending): Promise<Answer>;
  get(path: string, sending?: Sending): Promise<Answer>;
  post(path: string, body?: unknown, sending?: Sending): Promise<Answer>;
  /** Starts a run and waits until it has ended or waits for someone. */
  run(workflowId: string, body?: object): Promise<Answer>;
  /** Events that somebody forged are not always of the protocol's schemas, which are stricter than the host's. */
  stop(more?: { readonly holdsForgeries?: boolean }): Promise<void>;
}

export interface TestKey {
  readonly token: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly roles?: readonly string[];
  readonly revoked?: boolean;
  readonly principal?: string;
}

export async function startTestHost(
  settings: Partial<HostSettings> = {},
  keys: readonly TestKey[] = [],
  parts: HostParts = {},
  fetchImpl: Fetch = fetch,
): Promise<TestHost> {
  const folder = settings.dataFolder ?? mkdtempSync(join(tmpdir(), 'baton-http-'));
  if (keys.length > 0) await putKeys(folder, keys);
  const observed = observedHost();
  const host: Host = await startHost(
    {
      ...DEFAULT_SETTINGS,
      port: 0,
      dataFolder: folder,
      apiKey: OPERATOR_KEY,
      logLevel: 'silent',
      alwaysRefold: true,
      builtinWorkflows: WORKFLOWS,
      ...settings,
    },
    { extension: EXTENSION, observe: observed.observe, launch: launchBundled, ...parts },
  );
  const cleanUp = () => {
    if (settings.dataFolder === undefined) rmSync(folder, { recursive: true, force: true });
  };
  return clientOf({
    url: host.url,
    observed,
    folder,
    fetchImpl,
    tenantOf: (name) => name,
    keyOf: (token) => token,
    async stop({ holdsForgeries = false } = {}) {
      await host.stop();
      if (!holdsForgeries) checkLogs(folder);
      cleanUp();
      requireNone(observed.problems);
      if (!holdsForgeries) requireNone(observed.officialProblems);
    },
  });
}

/** The engine's thread from the bundle of the command, which is loaded in a quarter of the time of the compiled files. */
const launchBundled: HostParts['launch'] = ({ extension, ...settings }) =>
  new Worker(new URL('engine-thread.js', BUNDLE), {
    // The thread would have the engine twice if the extension did not come from the bundle, too.
    workerData: {
      ...settings,
      ...(extension && { extension: new URL('conformance/extension.js', BUNDLE).href }),
    },
  });
const BUNDLE = new URL('../../packages/cli/bundled/', import.meta.url);

/** The settings by which hosts are shared. */
interface SharedSettings extends Pick<Partial<HostSettings>, 'testSeams' | 'alwaysRefold'> {
  /** Registered in every tenant of the test, beside the workflows that every tenant sees. */
  readonly workflows?: readonly unknown[];
}

interface SharedHost {
  readonly host: TestHost;
  readonly store: ReturnType<typeof openSqliteStore>;
}

const shared = new Map<string, Promise<SharedHost>>();
/** The process ends without a word to its files, so shared hosts are not stopped. */
const leftFolders: string[] = [];
process.once('exit', () => {
  for (const folder of leftFolders) rmSync(folder, { recursive: true, force: true });
});
let tenants = 0;

/** Tenants on the host that the test files of this process share. The tenant "default" is the one of the operator. */
export async function sharedHost(
  { workflows = [], ...settings }: SharedSettings = {},
  keys: readonly TestKey[] = [],
): Promise<TestHost> {
  const name = JSON.stringify(settings);
  if (!shared.has(name)) shared.set(name, startShared(settings));
  const { host, store } = await shared.get(name)!;
  const { observed, folder } = host;
  tenants += 1;
  const mark = `t${tenants}`;
  const tenantOf = (tenant: string) => (tenant === 'default' ? mark : `${mark}-${tenant}`);
  const known = new Map(keys.map(({ token }) => [token, `${mark}-${token}`]));
  const names = [...new Set(['default', ...keys.map(({ tenant }) => tenant)])].map(tenantOf);
  const operatorOf = (tenant: string) => `${tenant}-${OPERATOR_KEY}`;
  known.set(OPERATOR_KEY, operatorOf(mark));
  const keyOf = (token: string) => known.get(token) ?? token;
  for (const tenant of names)
    await putKey(store, { token: operatorOf(tenant), tenant, scopes: [...SCOPES], principal: 'operator' });
  for (const { token, tenant, ...key } of keys) {
    const principal = `holder of ${token}`;
    await putKey(store, { principal, ...key, token: keyOf(token), tenant: tenantOf(tenant) });
  }
  const client = clientOf({
    url: host.url,
    observed,
    folder,
    fetchImpl: fetch,
    tenantOf,
    keyOf,
    async stop() {
      checkLogs(folder, names);
      requireNone(observed.problems.splice(0));
      requireNone(observed.officialProblems.splice(0));
    },
  });
  for (const tenant of names) {
    for (const workflow of workflows) {
      const { status, text } = await client.post('/v1/workflows', workflow, { key: operatorOf(tenant) });
      if (status >= 300) throw new Error(text);
    }
  }
  return client;
}

async function startShared(settings: Partial<HostSettings>): Promise<SharedHost> {
  const host = await startTestHost(settings);
  leftFolders.push(host.folder);
  return { host, store: openSqliteStore(host.folder) };
}

type ClientParts = Pick<TestHost, 'url' | 'folder' | 'observed' | 'tenantOf' | 'keyOf' | 'stop'> & {
  readonly fetchImpl: Fetch;
};

function clientOf({ fetchImpl, ...parts }: ClientParts): TestHost {
  const { url, observed, keyOf } = parts;
  const send: TestHost['send'] = async (method, path, body, sending = {}) => {
    const { key = OPERATOR_KEY, headers = {}, raw } = sending;
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetchImpl(`${url}${path}`, {
      method,
      ...(content !== undefined && { body: content }),
      headers: {
        accept: 'application/json',
        ...(content !== undefined && { 'content-type': 'application/json' }),
        ...(key !== null && { authorization: `Bearer ${keyOf(key)}` }),
        ...headers,
      },
    });
    const text = await (path.startsWith(ENDLESS) ? firstPart(response) : response.text());
    requireNone(observed.problems);
    return { status: response.status, headers: response.headers, text, body: jsonOf(text) };
  };
  const post: TestHost['post'] = (path, body, sending) => send('POST', path, body, sending);
  return {
    ...parts,
    key: keyOf(OPERATOR_KEY),
    send,
    post,
    get: (path, sending) => send('GET', path, undefined, sending),
    run: (workflowId, body = {}) =>
      post('/v1/runs', { workflowId, ...body }, { headers: { prefer: 'wait=20' } }),
  };
}

/** A stream that goes on until the reader leaves. */
const ENDLESS = '/v1/runs:watch';

/** The first part of a stream that may stay open, or the whole of another answer. */
export async function firstPart(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  const reader = response.body!.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

function requireNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(problems.slice(0, 5).join('\n'));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function putKeys(folder: string, keys: readonly TestKey[]): Promise<void> {
  const store = openSqliteStore(folder);
  for (const key of keys) await putKey(store, key);
  await store.close();
}

async function putKey(store: ReturnType<typeof openSqliteStore>, key: TestKey): Promise<void> {
  const { token, tenant, scopes, roles, revoked = false, principal = `holder of ${token}` } = key;
  const id = `key-${token}`;
  const hash = createHash('sha256').update(token).digest('hex');
  await store.putKey({ id, hash, tenant, principal, scopes, roles, createdAt: Date.now() });
  if (revoked) await store.revokeKey(id, Date.now());
}
