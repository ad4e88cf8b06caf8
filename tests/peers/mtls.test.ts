import { createHash, X509Certificate } from 'node:crypto';
import { newSigningKey, publicKey, signingKey } from '@baton/engine';
import type { HostSettings } from '@baton/server';
import { storageAt } from '@baton/server/storage';
import { expect, it } from 'vitest';
import { peerToken } from '../../packages/server/src/peers/peer-token.ts';
import { eventually } from '../eventually.ts';
import type { TestHost } from '../http/host.ts';
import { EXPIRED, FIRST, filesOf, SECOND, SERVER, type TestCertificate } from './certificates.ts';
import { askWith, KEY_OF_A, secureHost } from './secure-hosts.ts';
import { A, B, eventsOf, introduce } from './two-hosts.ts';

/** Hosts that prove who they are with certificates. */

const printOf = ({ pem }: TestCertificate) => new X509Certificate(pem).fingerprint256;
const SOME_KEY = signingKey(newSigningKey(), 'a key');

it('hands work to a host that knows this one by its certificate, without a token', async () => {
  const reports: number[] = [];
  const a = await secureHost(
    { hostId: A },
    {
      observe: (app) =>
        app.addHook('onResponse', (request, reply, done) => {
          if (request.url.startsWith('/v1/a2a/pushed/')) reports.push(reply.statusCode);
          done();
        }),
    },
  );
  const b = await secureHost({ hostId: B });
  const { file, keyFile, caFile } = filesOf(FIRST);
  await introduce(a, b, { name: 'b', hostId: B, tls: { certificate: { file, keyFile }, caFile } });
  // The audit key is not that of a, so a token of a would be refused.
  const auditKey = publicKey(newSigningKey(), 'a key').pem;
  const certificates = [printOf(FIRST)];
  const known = { name: 'a', hostId: A, publishes: ['shout'], auditKey, certificates, tls: { caFile } };
  await introduce(b, a, known);
  const { body: run } = await a.run('hand-shout');
  expect(run).toMatchObject({ status: 'completed', variables: { report: 'Heard: owls' } });
  const { body: listed } = await b.get('/v1/runs', { key: KEY_OF_A });
  expect(listed.runs).toHaveLength(1);
  await eventually(() => expect(reports).toContain(204));

  const events = [await eventsOf(a, run.runId), await eventsOf(b, listed.runs[0].runId)];
  const { body: shown, text } = await a.get('/v1/peers');
  expect(shown.peers[0]).toMatchObject({ credentials: 'mtls' });
  expect((await b.get('/v1/peers')).body.peers[0]).toMatchObject({ credentials: 'jwt', certificates });
  for (const told of [text, JSON.stringify(events)]) {
    expect(told).not.toContain(keyFile);
    expect(told).not.toContain(FIRST.key.split('\n')[1]);
  }
});

async function knownByFirst(settings: Partial<HostSettings> = {}): Promise<TestHost> {
  const host = await secureHost({ hostId: B, ...settings });
  const peer = { tenant: 'peer-a', publishes: ['shout'], auditKey: SOME_KEY.pem };
  await introduce(host, host, { ...peer, name: 'a', hostId: A, certificates: [printOf(FIRST)] });
  await introduce(host, host, { ...peer, name: 'c', hostId: 'host-c', tenant: 'peer-c' });
  return host;
}

const tokenFrom = (hostId: string) => peerToken({ auditKey: SOME_KEY, hostId }, B, Date.now());

it('lets a host with a certificate do what a peer may do, and nothing else', async () => {
  const host = await knownByFirst();
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'owls' }] };
  const [, started] = await askWith(`${host.url}/v1/a2a`, FIRST, undefined, {
    ...{ jsonrpc: '2.0', id: 1, method: 'SendMessage' },
    params: { message },
  });
  const { id: runId } = JSON.parse(started).result.task;
  expect((await host.get(`/v1/runs/${runId}`, { key: KEY_OF_A })).body).toMatchObject({
    workflowId: 'shout',
  });
  const { body: foreign } = await host.post('/v1/runs', { workflowId: 'shout' });
  const ask = async (path: string) => (await askWith(`${host.url}${path}`, FIRST))[0];
  expect(await ask(`/v1/runs/${runId}/ancestry`)).toBe(200);
  expect(await ask(`/v1/runs/${foreign.runId}/ancestry`)).toBe(404);
  expect(await ask(`/v1/runs/${runId}`)).toBe(403);
  expect(await ask('/v1/peers')).toBe(403);
  expect(await ask('/v1/nowhere')).toBe(404);
});

it.each<[string, TestCertificate | undefined, (() => string)?]>([
  ['no certificate', undefined],
  ['a certificate that is not pinned', SECOND],
  ['a certificate that has expired', EXPIRED],
  ['the certificate of the host itself', SERVER],
  ['its certificate and a token that is not valid', FIRST, () => 'baton_unknown'],
  ['the certificate of a peer and the token of another peer', FIRST, () => tokenFrom('host-c')],
])('answers a caller with %s with 401', async (_what, certificate, token) => {
  const host = await knownByFirst();
  await introduce(host, host, {
    ...{ name: 'd', hostId: 'host-d', auditKey: SOME_KEY.pem },
    certificates: [printOf(EXPIRED)],
  });
  const [status] = await askWith(`${host.url}/v1/runs/x/ancestry`, certificate, token?.());
  expect(status).toBe(401);
  expect((await askWith(`${host.url}/v1/runs/x/ancestry`, FIRST))[0]).toBe(404);
});

it('judges a caller that sends a key by the key', async () => {
  const host = await knownByFirst();
  const runs = `${host.url}/v1/runs`;
  expect(await askWith(runs, FIRST, KEY_OF_A)).toEqual([200, expect.stringContaining('"runs"')]);
  expect((await askWith(runs, SECOND, KEY_OF_A))[0]).toBe(200);
  expect((await askWith(`${runs}/x/ancestry`, FIRST, tokenFrom(A)))[0]).toBe(404);
  expect((await askWith(`${runs}/x/ancestry`, SECOND, tokenFrom(A)))[0]).toBe(404);
});

it('refuses the key of one peer with the certificate of another, also when the key was just used', async () => {
  const host = await knownByFirst({ peerRateLimit: 0 });
  const store = await storageAt({ kind: 'sqlite', folder: host.folder }).openStore();
  const hash = createHash('sha256').update('key-of-c').digest('hex');
  const holder = { tenant: 'peer-c', principal: 'peer:c', scopes: ['runs:read'] };
  await store.putKey({ id: 'key_c', hash, ...holder, createdAt: 0 });
  await store.close();
  const ask = async (certificate?: TestCertificate) =>
    (await askWith(`${host.url}/v1/runs/x/ancestry`, certificate, 'key-of-c'))[0];
  expect([await ask(FIRST), await ask(), await ask(FIRST), await ask(SECOND)]).toEqual([401, 404, 401, 404]);
});
