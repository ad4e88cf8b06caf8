import type { Answer, Sending, TestHost } from './host.ts';

/** Every operation that the OpenAPI document describes, and requests to them that say nothing wrong. */

export interface Operation {
  /** As in `GET /v1/runs/{runId}`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The scope that it needs, `authenticated` when every valid key is enough, or `public`. */
  readonly access: string;
}

interface Described {
  readonly 'x-scope'?: string;
  readonly security: readonly unknown[];
}

export async function operationsOf(host: TestHost): Promise<readonly Operation[]> {
  const { paths } = (await host.get('/v1/openapi.json')).body as {
    paths: Record<string, Record<string, Described>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, described]) => {
      const method = verb.toUpperCase();
      const open = described.security.length === 0 ? 'public' : 'authenticated';
      return { name: `${method} ${path}`, method, path, access: described['x-scope'] ?? open };
    }),
  );
}

/** What stands for the parts of an address. */
export interface Named {
  readonly runId: string;
  readonly workflowId: string;
  readonly path: string;
  readonly nodeId?: string;
  readonly artifactId?: string;
  readonly token?: string;
}

const USUAL = { nodeId: 'gate', artifactId: 'gate:1:1', token: 'no-such-token' };

/** Bodies that are fine, by the end of the address, so that a request gets as far as what it names. */
const BODIES: readonly (readonly [end: string, body: (named: Named) => unknown])[] = [
  ['/v1/workflows', ({ workflowId }) => ({ id: workflowId, nodes: [{ id: 'n', typeId: 'core.noop' }] })],
  ['/v1/runs', ({ workflowId }) => ({ workflowId })],
  [':bulk-cancel', ({ runId }) => ({ runIds: [runId] })],
  [':import', () => ({})],
  [':fork', () => ({ mode: 'replay' })],
  [':erase', () => ({ reason: 'asked to' })],
  ['/interrupts/{nodeId}', () => ({ resumeValue: { action: 'accept' } })],
  ['/interrupts/{token}', () => ({ resumeValue: { action: 'accept' } })],
  ['/approvals/{nodeId}', () => ({ action: 'accept' })],
  ['/files/{path}', () => ({ content: 'text' })],
];

const QUERIES: readonly (readonly [end: string, query: (named: Named) => string])[] = [
  ['/state', () => '?at=1'],
  ['/diff', ({ runId }) => `?against=${runId}`],
  [':diff', ({ runId }) => `?against=${runId}`],
  ['/events/poll', () => '?timeout=0'],
  ['/v1/audit/verify', ({ runId }) => `?runId=${runId}`],
];

export function ask(
  host: TestHost,
  { method, path }: Operation,
  named: Named,
  sending: Sending,
): Promise<Answer> {
  const parts: Readonly<Record<string, string | undefined>> = { ...USUAL, ...named };
  const address = path.replace(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(parts[part] ?? part));
  const query = QUERIES.find(([end]) => path.endsWith(end))?.[1](named) ?? '';
  const takesBody = method === 'POST' || method === 'PUT';
  const body = takesBody ? (BODIES.find(([end]) => path.endsWith(end))?.[1](named) ?? {}) : undefined;
  return host.send(method, address + query, body, sending);
}
