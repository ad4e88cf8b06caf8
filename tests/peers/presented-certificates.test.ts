import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { fetchFailure } from '@baton/agents';
import { expect, it, onTestFinished } from 'vitest';
import { peerClients } from '../../packages/server/src/handoffs/peer-clients.ts';
import { PeerFault } from '../../packages/server/src/handoffs/peer-fault.ts';
import { FIRST, filesOf, SECOND, SERVER } from './certificates.ts';

/** Which certificates a host presents to other hosts, and what it says when it cannot. */

/** A server that answers with the name in the certificate of its caller. Returns its address. */
async function askingServer(more: ServerOptions = {}): Promise<string> {
  const asking = { requestCert: true, rejectUnauthorized: false };
  const server = createServer(
    { cert: SERVER.pem, key: SERVER.key, ...asking, ...more },
    (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      response.end(subject?.CN ?? 'nobody');
    },
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function clientsOf() {
  const logged: unknown[] = [];
  const clients = peerClients({ bounds: {}, log: { warn: (...said: unknown[]) => void logged.push(said) } });
  onTestFinished(() => clients.stop());
  return { ...clients, logged };
}

async function textFrom(answer: Promise<Response>): Promise<string> {
  return (await answer).text();
}

it('presents a certificate to the peer for which the operator has set it, and to no other', async () => {
  const url = await askingServer();
  const { to } = clientsOf();
  const { file, keyFile, caFile } = filesOf(FIRST);
  const named = to({ name: 'named', tls: { certificate: { file, keyFile }, caFile } });
  const other = to({ name: 'other', tls: { caFile } });
  expect(await textFrom(named(url))).toBe('first');
  expect(await textFrom(other(url))).toBe('nobody');
  expect(await textFrom(named(url))).toBe('first');
});

it('presents the certificate that is in the files now', async () => {
  const url = await askingServer();
  const { to } = clientsOf();
  const { file, keyFile, caFile } = filesOf(FIRST);
  const peer = { name: 'named', tls: { certificate: { file, keyFile }, caFile } };
  expect(await textFrom(to(peer)(url))).toBe('first');
  writeFileSync(file, SECOND.pem);
  writeFileSync(keyFile, SECOND.key);
  expect(await textFrom(to(peer)(url))).toBe('second');
});

it('follows no redirect, because another host would see the certificate', async () => {
  const url = await askingServer();
  const { to } = clientsOf();
  const { file, keyFile, caFile } = filesOf(FIRST);
  const server = createServer({ cert: SERVER.pem, key: SERVER.key }, (_, response) =>
    response.writeHead(307, { location: url }).end(),
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const from = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const asked = to({ name: 'named', tls: { certificate: { file, keyFile }, caFile } })(from);
  await expect(asked).rejects.toThrow(/redirects/);
});

it('sends nothing to a host whose certificate no trusted authority has signed', async () => {
  const url = await askingServer();
  const { to } = clientsOf();
  expect(await to({ name: 'named' })(url).catch(fetchFailure)).toBe('unsent');
});

it.each<[string, (files: ReturnType<typeof filesOf>) => void, RegExp]>([
  ['is missing', ({ keyFile }) => rmSync(keyFile), /certificate\.key cannot be read$/],
  ['can be read by others', ({ keyFile }) => chmodSync(keyFile, 0o644), /chmod 600/],
  [
    'is that of another certificate',
    ({ keyFile }) => writeFileSync(keyFile, SECOND.key),
    /is not the private key of the certificate in/,
  ],
  [
    'is no key',
    ({ keyFile }) => writeFileSync(keyFile, FIRST.key.slice(0, 100)),
    /does not hold a private key as PEM without a password$/,
  ],
])('says in the log, and not to callers, when a key %s', async (_what, spoil, reason) => {
  const { to, logged } = clientsOf();
  const files = filesOf(FIRST);
  spoil(files);
  const fault = await to({ name: 'acme', tls: { certificate: files } })('https://127.0.0.1:1').catch(
    (error: unknown) => error,
  );
  expect(fault).toBeInstanceOf(PeerFault);
  expect(fault).toMatchObject({ code: 'peer_unreachable', retryable: true, refused: true });
  expect(String(fault)).toContain('This host cannot use its certificate files for the peer "acme"');
  expect(String(fault)).not.toContain(files.keyFile);
  expect(logged).toEqual([[{ peer: 'acme', reason: expect.stringMatching(reason) }, expect.any(String)]]);
  expect(JSON.stringify(logged)).not.toContain(FIRST.key.split('\n')[1]?.slice(0, 20));
});
