import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { outputTo } from '../output/output.ts';
import { openSession } from '../session.ts';
import { showAncestry } from './ancestry.ts';

interface Parent {
  readonly runId: string;
  readonly hostId: string;
  readonly cause: string;
  readonly wellKnownUrl?: string;
}

let printed: string[];
let noted: string[];
beforeEach(() => {
  printed = [];
  noted = [];
});
const terminal = {
  print: (text: string) => void printed.push(text),
  note: (text: string) => void noted.push(text),
};

/** A host that knows the parents of its runs. It answers only to its own key. */
async function hostNamed(hostId: string, parents: Readonly<Record<string, Parent | null>>) {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    const runId = /^\/v1\/runs\/([^/]+)\/ancestry$/.exec(request.url ?? '')?.[1] ?? '';
    const parent = parents[runId];
    const isRefused = request.headers.authorization !== `Bearer key-of-${hostId}` || parent === undefined;
    response.writeHead(isRefused ? 404 : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(isRefused ? { error: 'not_found', message: 'No.' } : { runId, hostId, parent }),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, keys, wellKnownUrl: `${url}/.well-known/openwop`, keyFor: `${url}=key-of-${hostId}` };
}

async function show(host: { url: string }, runId: string, keyFor: string[] = [], json = false) {
  const flags = { url: host.url, key: 'key-of-host-b', keyFor, json };
  return showAncestry(openSession(flags, outputTo(json ? 'json' : 'lines', false, terminal)), runId);
}

/** Host A started run b1 of host B through run a.1. Run b1 started b1.1. */
async function twoHosts(hostId = 'host-a') {
  const a = await hostNamed(hostId, {
    'a.1': { runId: 'a', hostId: 'host-a', cause: 'core.dispatch' },
    a: null,
  });
  const b = await hostNamed('host-b', {
    'b1.1': { runId: 'b1', hostId: 'host-b', cause: 'core.subWorkflow' },
    b1: { runId: 'a.1', hostId: 'host-a', cause: 'a2a-message', wellKnownUrl: a.wellKnownUrl },
  });
  return { a, b };
}

it('draws the chain of runs over two hosts', async () => {
  const { a, b } = await twoHosts();
  expect(await show(b, 'b1.1', [a.keyFor])).toBe(0);
  expect(printed).toEqual([
    [
      'a  (host-a)',
      '└─ core.dispatch a.1  (host-a)',
      '   └─ a2a-message b1  (host-b)',
      '      └─ core.subWorkflow b1.1  (host-b)',
    ].join('\n'),
  ]);
  expect(noted).toEqual([]);
});

it('asks another host only with a key for its address, and says which one is missing', async () => {
  const { a, b } = await twoHosts();
  expect(await show(b, 'b1', ['http://127.0.0.1:1=key-of-host-a'])).toBe(1);
  expect(printed).toEqual(['a.1  (host-a)\n└─ a2a-message b1  (host-b)']);
  expect(noted).toEqual([
    `The runs above a.1 are not shown: they are on ${a.url}; add --key-for ${a.url}=<key> with a key of that host.`,
  ]);
  expect(a.keys).toEqual([]);
});

it('says so when the other host refuses, or is another host than it should be', async () => {
  const { a, b } = await twoHosts();
  expect(await show(b, 'b1', [`${a.url}=another-key`])).toBe(1);
  expect(noted.at(-1)).toBe(`The runs above a.1 are not shown: ${a.url}: The host refused: No.`);
  const lying = await twoHosts('host-x');
  expect(await show(lying.b, 'b1', [`${lying.a.url}=key-of-host-x`])).toBe(1);
  expect(noted.at(-1)).toContain('is host-x, and not host-a');
});

it('ends when hosts name each other in a circle', async () => {
  const circle = await hostNamed('host-b', { x: { runId: 'x', hostId: 'host-b', cause: 'core.dispatch' } });
  expect(await show(circle, 'x')).toBe(1);
  expect(noted).toEqual([expect.stringContaining('256 runs were followed')]);
});

it.each<[string, Partial<Parent>]>([
  ['with control characters', { runId: '\u001b[2J' }],
  ['of a host that is none', { hostId: 'a host' }],
  ['with another cause', { cause: 'magic' }],
])('prints no answer %s', async (_what, more) => {
  const strange = await hostNamed('host-b', {
    x: { runId: 'y', hostId: 'host-b', cause: 'core.dispatch', ...more },
  });
  await expect(show(strange, 'x')).rejects.toThrow(/does not say which run started the run/);
});

it.each(['file:///etc/passwd/.well-known/openwop', 'https://a.example/elsewhere'])(
  'does not ask %s',
  async (url) => {
    const parent = { runId: 'a', hostId: 'host-a', cause: 'a2a-message', wellKnownUrl: url };
    const b = await hostNamed('host-b', { x: parent });
    expect(await show(b, 'x', ['https://a.example=key'])).toBe(1);
    expect(noted).toEqual([expect.stringContaining('is not the address of a host')]);
  },
);

it.each(['key', '=key', 'https://a.example', 'https://a.example='])('refuses --key-for %s', async (given) => {
  const b = await hostNamed('host-b', { x: null });
  await expect(show(b, 'x', [given])).rejects.toThrow(/--key-for needs an address and a key/);
});
