import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSigningKey, publicKey } from '@baton/engine';
import type { Peer } from '@baton/engine/ports';
import { storageAt } from '@baton/server/storage';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { outputTo } from '../output/output.ts';
import { addPeer, type OwnHost, type PeerFlags } from './add-peer.ts';
import { listPeers, removePeer } from './known-peers.ts';

const KEY = publicKey(newSigningKey(), 'a key');
const ACME = 'https://acme.example';

let folder: string;
let own: OwnHost;
let keyFile: string;
let printed: string[];
let noted: string[];
const terminal = {
  print: (text: string) => void printed.push(text),
  note: (text: string) => void noted.push(text),
};
const out = outputTo('lines', false, terminal);
const asJson = outputTo('json', false, terminal);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-peers-'));
  own = { location: { kind: 'sqlite', folder: join(folder, 'data') }, hostId: undefined };
  keyFile = join(folder, 'key.pem');
  writeFileSync(keyFile, KEY.pem);
  printed = [];
  noted = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const add = (name: string, flags: Partial<PeerFlags> = {}) =>
  addPeer(own, name, { url: ACME, ...flags }, out);
const pinned = () => ({ hostId: 'host-acme', auditKey: keyFile });

async function stored(): Promise<readonly Peer[]> {
  const reads = await storageAt(own.location).openReads();
  try {
    return await reads.peers();
  } finally {
    await reads.close();
  }
}

/** A host that describes itself, on a free port. Returns its address. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const describing = (document: unknown): Promise<string> =>
  answering((request, response) =>
    response.writeHead(request.url === '/.well-known/openwop' ? 200 : 404).end(JSON.stringify(document)),
  );

const crossHost = (hostId: unknown) => ({
  multiAgent: { executionModel: { crossHostCausation: { hostId } } },
});
const audited = (checkpointPublicKey: unknown) => ({ auth: { auditLogIntegrity: { checkpointPublicKey } } });

describe('adding a peer', () => {
  it('pins the id and the key that the host states, and shows them', async () => {
    const url = await describing({ ...crossHost('host-acme'), ...audited(KEY.spki) });
    await add('acme', { url: `${url}/`, publish: 'translate, local.acme.writer' });
    expect(await stored()).toEqual([
      {
        name: 'acme',
        url,
        kind: 'baton',
        hostId: 'host-acme',
        auditKey: KEY.pem,
        tenant: 'peer-acme',
        publishes: ['translate', 'local.acme.writer'],
        createdAt: expect.any(Number),
      },
    ]);
    expect(printed[0]).toContain('host id    host-acme\n');
    expect(printed[0]).toContain(`audit key  ${KEY.keyId}  ${KEY.spki}\n`);
    expect(noted).toEqual([expect.stringMatching(/^Compare host id and audit key/)]);
  });

  it('asks nobody when the id and the key are given', async () => {
    await add('acme', { ...pinned(), secret: 'ACME_KEY', tenant: 'default' });
    expect(await stored()).toEqual([
      expect.objectContaining({
        hostId: 'host-acme',
        auditKey: KEY.pem,
        secret: 'ACME_KEY',
        tenant: 'default',
      }),
    ]);
  });

  it('prefers a given id or key to the one that the host states', async () => {
    const url = await describing({ ...crossHost('host-other'), ...audited(KEY.spki) });
    await add('acme', { url, hostId: 'host-acme' });
    expect(await stored()).toEqual([expect.objectContaining({ hostId: 'host-acme', auditKey: KEY.pem })]);
  });

  it('pins nothing of an agent of another kind, which may be below a path', async () => {
    await add('agent', { a2a: true, url: 'https://vendor.example/agents/one/' });
    const [agent] = await stored();
    expect(agent).toMatchObject({ kind: 'a2a', url: 'https://vendor.example/agents/one' });
    expect(agent).not.toHaveProperty('hostId');
    await expect(add('agent-2', { a2a: true, ...pinned() })).rejects.toThrow(/leave out --host-id/);
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    ['states no id', () => describing(audited(KEY.spki)), /states no host id\. .*--a2a.*--host-id/],
    [
      'states an id that is none',
      () => describing({ ...crossHost('a b'), ...audited(KEY.spki) }),
      /no host id/,
    ],
    ['states no key', () => describing(crossHost('host-acme')), /no Ed25519 audit key; .*--audit-key/],
    [
      'states a key that is none',
      () => describing({ ...crossHost('host-acme'), ...audited('AAAA') }),
      /no Ed25519 audit key/,
    ],
    ['is not there', async () => 'http://127.0.0.1:1', /No host answers at .*; check --url/],
    [
      'refuses',
      () => answering((_, response) => response.writeHead(503).end()),
      /answers with the status 503/,
    ],
    [
      'speaks nonsense',
      () => answering((_, response) => response.end('<html>')),
      /does not answer with JSON/,
    ],
    [
      'says too much',
      () => answering((_, response) => response.end('1'.repeat(1024 * 1024 + 1))),
      /answers with more than a description/,
    ],
    [
      'sends the caller elsewhere',
      () => answering((_, response) => response.writeHead(302, { location: ACME }).end()),
      /No host answers at/,
    ],
  ])('stores nothing when the host %s', async (_what, host, message) => {
    await expect(add('acme', { url: await host() })).rejects.toThrow(message);
    await expect(stored()).rejects.toThrow();
  });

  it.each<[string, Partial<PeerFlags>, RegExp]>([
    ['Acme', {}, /not a name for a peer/],
    ['acme', { url: 'acme.example' }, /which is not an address; write it like https:/],
    ['acme', { url: 'ftp://acme.example' }, /which is not an address/],
    ['acme', { url: 'https://ada:pass@acme.example' }, /holds a password \(set a secret/],
    ['acme', { url: `${ACME}/?x=1` }, /more than an address/],
    ['acme', { url: `${ACME}/v1` }, /has no path/],
    ['acme', { hostId: 'a/b' }, /^--host-id is "a\/b"; write letters/],
    ['acme', { auditKey: '/no/such/file' }, /--audit-key is "\/no\/such\/file", which cannot be read/],
    ['acme', { tenant: '*', hostId: 'h', auditKey: 'key.pem' }, /means all tenants/],
    ['acme', { tenant: '', hostId: 'h', auditKey: 'key.pem' }, /--tenant is ""/],
    ['acme', { publish: 'peer:x/y', hostId: 'h', auditKey: 'key.pem' }, /--publish names "peer:x\/y"/],
  ])('refuses %s %o', async (name, flags, message) => {
    const inFolder = flags.auditKey === 'key.pem' ? { ...flags, auditKey: keyFile } : flags;
    await expect(add(name, inFolder)).rejects.toThrow(message);
    await expect(stored()).rejects.toThrow();
  });

  it('warns of an address that is not encrypted, unless it is on this machine', async () => {
    await add('near', { ...pinned(), hostId: 'near', url: 'http://[::1]:4747' });
    expect(noted.join()).not.toContain('Warning');
    await add('far', { ...pinned(), url: 'http://acme.example:4747' });
    expect(noted.join()).toContain('Warning: http://acme.example:4747 is not encrypted');
  });

  it('refuses a name that is taken, a host that is known, and the host itself', async () => {
    await add('acme', pinned());
    await expect(add('acme', { ...pinned(), hostId: 'other' })).rejects.toThrow(
      /peer acme already; "baton peers remove/,
    );
    await expect(add('acme-2', pinned())).rejects.toThrow(/host-acme is the peer acme already/);
    const itself = addPeer({ ...own, hostId: 'me' }, 'me', { url: ACME, ...pinned(), hostId: 'me' }, out);
    await expect(itself).rejects.toThrow(/is this host itself/);
    expect(await stored()).toHaveLength(1);
  });
});

describe('the list of peers', () => {
  const list = () => listPeers({ ...own, auditKeyFile: keyFile }, out);

  it('begins with this host as others know it', async () => {
    await add('acme', { ...pinned(), publish: 'a,b' });
    await add('agent', { a2a: true, secret: 'AGENT_KEY' });
    noted = [];
    await list();
    expect(noted).toEqual([expect.stringMatching(/^This host is host-[0-9a-f]{16}; audit key \w{16} {2}/)]);
    const [header, ...rows] = printed
      .at(-1)!
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(header?.join()).toBe('NAME,URL,HOST ID,AUDIT KEY,TENANT,SENDS,CERTIFICATE,MAY USE');
    expect(rows).toEqual([
      ['acme', ACME, 'host-acme', KEY.keyId, 'peer-acme', 'signed token', '-', 'a,b'],
      ['agent', ACME, '(another kind)', '-', 'peer-agent', 'secret AGENT_KEY', '-', '-'],
    ]);
  });

  it('is one object with --json, like a peer that is added or removed', async () => {
    await addPeer(own, 'acme', { url: ACME, ...pinned(), publish: 'a,b' }, asJson);
    await addPeer(own, 'agent', { url: ACME, a2a: true, secret: 'AGENT_KEY' }, asJson);
    await listPeers({ ...own, auditKeyFile: keyFile }, asJson);
    await removePeer(own, 'acme', asJson);
    const [acme, agent, list, removed] = printed.map((line) => JSON.parse(line));
    const auditKey = { keyId: KEY.keyId, spki: KEY.spki };
    const created = { createdAt: expect.stringMatching(/^\d{4}-/) };
    expect(acme).toEqual({
      ...{ name: 'acme', url: ACME, kind: 'baton', hostId: 'host-acme', auditKey },
      ...{ tenant: 'peer-acme', publishes: ['a', 'b'], ...created },
    });
    expect(agent).toEqual({
      ...{ name: 'agent', url: ACME, kind: 'a2a', tenant: 'peer-agent', publishes: [] },
      ...{ secret: 'AGENT_KEY', ...created },
    });
    expect(list).toEqual({ hostId: expect.stringMatching(/^host-/), auditKey, peers: [acme, agent] });
    expect(removed).toEqual({ name: 'acme', removed: true });
    expect(noted).toEqual([]);
  });

  it('says that there are none, and how to add one', async () => {
    await add('acme', pinned());
    await removePeer(own, 'acme', out);
    await list();
    expect(noted.at(-1)).toMatch(/no peers yet; "baton peers add"/);
    await expect(removePeer(own, 'acme', out)).rejects.toThrow(/There is no peer acme/);
  });

  it('does not make a database where there is none', async () => {
    await expect(list()).rejects.toThrow();
    await expect(removePeer(own, 'acme', out)).rejects.toThrow();
    await expect(stored()).rejects.toThrow();
  });
});
