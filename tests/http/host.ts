import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fetch } from '@baton/agents';
import { DEFAULT_SETTINGS, type Host, type HostParts, type HostSettings, startHost } from '@baton/server';
import { openSqliteStore } from '@baton/store-sqlite';
import { type ObservedHost, observedHost } from '../contracts/observed-host.ts';
import { checkLogs } from '../reference/check-logs.ts';
import { WORKFLOWS } from './workflows.ts';

/** A real host on a free port with a folder of its own, and a client that speaks plain HTTP to it. */

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
  const host = await startHost(
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
    { conformance: true, observe: observed.observe, ...parts },
  );
  const cleanUp = () => {
    if (settings.dataFolder === undefined) rmSync(folder, { recursive: true, force: true });
  };
  return clientOf(host, { observed, folder, cleanUp, fetchImpl });
}

interface ClientParts {
  readonly observed: ObservedHost;
  readonly folder: string;
  readonly cleanUp: () => void;
  readonly fetchImpl: Fetch;
}

function clientOf(host: Host, { observed, folder, cleanUp, fetchImpl }: ClientParts): TestHost {
  const send: TestHost['send'] = async (method, path, body, sending = {}) => {
    const { key = OPERATOR_KEY, headers = {}, raw } = sending;
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetchImpl(`${host.url}${path}`, {
      method,
      ...(content !== undefined && { body: content }),
      headers: {
        accept: 'application/json',
        ...(content !== undefined && { 'content-type': 'application/json' }),
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...headers,
      },
    });
    const text = await (path.startsWith(ENDLESS) ? firstPart(response) : response.text());
    requireNone(observed.problems);
    return { status: response.status, headers: response.headers, text, body: jsonOf(text) };
  };
  const post: TestHost['post'] = (path, body, sending) => send('POST', path, body, sending);
  return {
    url: host.url,
    folder,
    observed,
    send,
    post,
    get: (path, sending) => send('GET', path, undefined, sending),
    run: (workflowId, body = {}) =>
      post('/v1/runs', { workflowId, ...body }, { headers: { prefer: 'wait=20' } }),
    async stop({ holdsForgeries = false } = {}) {
      await host.stop();
      if (!holdsForgeries) checkLogs(folder);
      cleanUp();
      requireNone(observed.problems);
      if (!holdsForgeries) requireNone(observed.officialProblems);
    },
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
  for (const { token, tenant, scopes, roles, revoked = false } of keys) {
    const id = `key-${token}`;
    const hash = createHash('sha256').update(token).digest('hex');
    const principal = `holder of ${token}`;
    await store.putKey({ id, hash, tenant, principal, scopes, roles, createdAt: Date.now() });
    if (revoked) await store.revokeKey(id, Date.now());
  }
  await store.close();
}
