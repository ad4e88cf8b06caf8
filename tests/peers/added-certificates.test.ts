import { X509Certificate } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { newSigningKey, publicKey } from '@baton/engine';
import { storageAt } from '@baton/server/storage';
import { expect, it, onTestFinished } from 'vitest';
import { outputTo } from '../../packages/cli/src/output/output.ts';
import { addPeer, type PeerFlags } from '../../packages/cli/src/peers/add-peer.ts';
import { listPeers } from '../../packages/cli/src/peers/known-peers.ts';
import { emptyFolder } from '../empty-folder.ts';
import { FIRST, filesOf, SECOND } from './certificates.ts';
import { secureHost } from './secure-hosts.ts';
import { B } from './two-hosts.ts';

/** `baton peers add` with certificates. */

function operator() {
  const folder = emptyFolder();
  const own = { location: { kind: 'sqlite', folder } as const, hostId: undefined };
  const printed: string[] = [];
  const terminal = { print: (text: string) => void printed.push(text), note: () => undefined };
  const out = outputTo('lines', false, terminal);
  return {
    printed,
    add: (name: string, flags: PeerFlags) => addPeer(own, name, flags, out),
    list: () => listPeers({ ...own, auditKeyFile: undefined }, out),
    async stored() {
      const reads = await storageAt(own.location).openReads();
      onTestFinished(() => reads.close());
      return reads.peers();
    },
  };
}

const { fingerprint256: PRINT } = new X509Certificate(FIRST.pem);

it('reads the host with the authority and the certificate, and stores names of files only', async () => {
  const b = await secureHost({ hostId: B });
  const { file, keyFile, caFile } = filesOf(FIRST);
  const { add, list, stored, printed } = operator();
  const flags = { url: b.url, cert: file, certKey: keyFile, ca: caFile, acceptCert: file };
  await add('b', flags);
  const [peer] = await stored();
  expect(peer).toMatchObject({
    hostId: B,
    tls: { certificate: { file, keyFile }, caFile },
    certificates: [PRINT],
  });
  expect(printed[0]).toContain(`accepts    certificate ${PRINT}\n`);
  await list();
  expect(printed.at(-1)).toContain(`certificate ${file}  ${PRINT.slice(0, 23)}…`);
  expect(JSON.stringify([peer, printed])).not.toContain(FIRST.key.split('\n')[1]);
  await expect(add('c', { url: b.url, hostId: 'c' })).rejects.toThrow(/No host answers/);
});

it('pins every certificate of a file, so that a peer can change from one to the next', async () => {
  const { add, stored } = operator();
  const { file } = filesOf({ ...FIRST, pem: FIRST.pem + SECOND.pem });
  const pinned = { url: 'https://acme.example', hostId: 'h', auditKey: auditKeyFile() };
  await add('acme', { ...pinned, acceptCert: file });
  expect((await stored())[0]?.certificates).toEqual([PRINT, new X509Certificate(SECOND.pem).fingerprint256]);
  await expect(add('twin', { ...pinned, hostId: 'other', acceptCert: file })).rejects.toThrow(
    /is that of the peer acme already/,
  );
});

it.each<[string, (files: ReturnType<typeof filesOf>) => Partial<PeerFlags>, RegExp]>([
  ['a certificate without its key', ({ file }) => ({ cert: file }), /--cert and --cert-key belong together/],
  ['a key without its certificate', ({ keyFile }) => ({ certKey: keyFile }), /belong together/],
  [
    'a certificate and a secret',
    ({ file, keyFile }) => ({ cert: file, certKey: keyFile, secret: 'KEY' }),
    /choose one of them/,
  ],
  [
    'an address without TLS',
    ({ file, keyFile }) => ({ cert: file, certKey: keyFile, url: 'http://127.0.0.1:1' }),
    /does not use TLS; write https/,
  ],
  ['an authority that is none', ({ keyFile }) => ({ ca: keyFile }), /does not hold a certificate as PEM$/],
  [
    'a certificate that is none',
    ({ file, keyFile }) => {
      writeFileSync(file, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
      return { cert: file, certKey: keyFile };
    },
    /does not hold a certificate as PEM$/,
  ],
  [
    'a key that others can read',
    ({ file, keyFile }) => {
      chmodSync(keyFile, 0o640);
      return { cert: file, certKey: keyFile };
    },
    /can be read by other users; run: chmod 600/,
  ],
  [
    'a pinned file that is missing',
    () => ({ acceptCert: '/no/such.pem' }),
    /^\/no\/such\.pem cannot be read$/,
  ],
  [
    'a pinned certificate of an agent, which does not call',
    ({ file }) => ({ acceptCert: file, a2a: true }),
    /leave out --accept-cert/,
  ],
])('refuses %s', async (_what, flags, message) => {
  const { add, stored } = operator();
  const adding = add('acme', { url: 'https://acme.example', ...flags(filesOf(FIRST)) });
  await expect(adding).rejects.toThrow(message);
  await expect(stored()).rejects.toThrow();
});

/** A file with a public audit key. */
function auditKeyFile(): string {
  const { file } = filesOf({ ...FIRST, pem: publicKey(newSigningKey(), 'a key').pem });
  return file;
}
