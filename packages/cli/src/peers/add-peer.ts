import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type PublicKey, publicKey, SHARED_TENANT } from '@baton/engine';
import type { Peer, PeerTls } from '@baton/engine/ports';
import { PeerName, problemWith } from '@baton/protocol';
import { fingerprintsIn, readClientTls } from '@baton/server';
import { type StorageLocation, storageAt } from '@baton/server/storage';
import { requireName } from '../keys.ts';
import { isLoopback } from '../loopback.ts';
import { CommandFailure, wrongUsage } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { parseHostId, parseWorkerIds } from '../settings/peer-settings.ts';
import type { Parsed } from '../settings/setting-values.ts';
import { describedHost } from './described-host.ts';
import { toldPeer } from './told-peer.ts';

/** Stores a peer directly in the database. A running host notices it within a second. */

export interface PeerFlags extends CertificateFlags {
  readonly url: string;
  readonly hostId?: string;
  /** The file with the public audit key of the other host. */
  readonly auditKey?: string;
  readonly a2a?: boolean;
  readonly secret?: string;
  readonly tenant?: string;
  /** Separated by commas. */
  readonly publish?: string;
}

interface Pins {
  readonly hostId?: string;
  readonly auditKey?: PublicKey;
}

export interface OwnHost {
  readonly location: StorageLocation;
  /** The id of this host, where the operator has set one. */
  readonly hostId: string | undefined;
}

export async function addPeer(own: OwnHost, name: string, flags: PeerFlags, out: Output): Promise<ExitCode> {
  if (problemWith(PeerName, name) !== undefined) {
    throw wrongUsage(
      `"${name}" is not a name for a peer; write lower-case letters, digits and hyphens, at most 63.`,
    );
  }
  const kind = flags.a2a === true ? 'a2a' : 'baton';
  const url = peerUrl(flags.url, kind, out);
  if (flags.secret !== undefined && flags.cert !== undefined) {
    throw wrongUsage('--secret and --cert are two ways to prove who this host is; choose one of them.');
  }
  const tls = tlsIn(flags, url);
  const certificates = acceptedIn(flags, kind);
  const { hostId, auditKey } = await pinsOf(url, kind, tls, flags);
  const peer: Peer = {
    name,
    url,
    kind,
    ...(hostId !== undefined && { hostId }),
    ...(auditKey !== undefined && { auditKey: auditKey.pem }),
    ...(flags.secret !== undefined && { secret: flags.secret }),
    ...(tls && { tls }),
    ...(certificates && { certificates }),
    tenant: tenantOf(name, flags.tenant),
    publishes: flags.publish === undefined ? [] : taken('--publish', parseWorkerIds(flags.publish)),
    createdAt: Date.now(),
  };
  await storePeer(own, peer);
  out.give(toldPeer(peer), described(peer, auditKey));
  if (hostId !== undefined) {
    out.note('Compare host id and audit key with those that "baton peers list" shows on the other host.');
  }
  return EXIT.done;
}

function peerUrl(text: string, kind: Peer['kind'], out: Output): string {
  const wrong = (why: string) =>
    wrongUsage(`--url is "${text}", ${why}; write it like https://baton.acme.example`);
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) throw wrong('which is not an address');
  const { protocol, origin, hostname, pathname, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '') throw wrong('which holds a password (set a secret with --secret)');
  if (search !== '' || hash !== '') throw wrong('which is more than an address');
  const path = pathname.replace(/\/+$/, '');
  if (kind === 'baton' && path !== '') throw wrong('and the address of a host has no path');
  if (protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''))) {
    out.note(`Warning: ${origin} is not encrypted; use https outside of a network that you trust.`);
  }
  return origin + path;
}

/** Another host is known by its id and its key. They are read from the host itself unless both are given. */
async function pinsOf(
  url: string,
  kind: Peer['kind'],
  tls: PeerTls | undefined,
  flags: PeerFlags,
): Promise<Pins> {
  const hostId = flags.hostId === undefined ? undefined : taken('--host-id', parseHostId(flags.hostId));
  const auditKey = flags.auditKey === undefined ? undefined : keyIn(flags.auditKey);
  if (kind === 'a2a') {
    if (hostId === undefined && auditKey === undefined) return {};
    throw wrongUsage(
      'An agent of another kind has no host id and no audit key; leave out --host-id and --audit-key.',
    );
  }
  if (hostId !== undefined && auditKey !== undefined) return { hostId, auditKey };
  const told = await describedHost(url, tls);
  return { hostId: hostId ?? told.hostId, auditKey: auditKey ?? told.auditKey };
}

function keyIn(file: string): PublicKey {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CommandFailure(
      `--audit-key is "${file}", which cannot be read; write the name of a PEM file.`,
      { exit: EXIT.wrongUsage, code: 'wrong_usage', cause },
    );
  }
  return publicKey(text, file);
}

function tenantOf(name: string, tenant = `peer-${name}`): string {
  if (tenant === SHARED_TENANT) throw wrongUsage('The tenant "*" means all tenants; choose another name.');
  requireName('--tenant', tenant);
  return tenant;
}

async function storePeer({ location, hostId }: OwnHost, peer: Peer): Promise<void> {
  const storage = storageAt(location);
  // The storage of a new folder is created here.
  const store = await storage.openStore();
  const reads = await storage.openReads();
  try {
    if (peer.hostId !== undefined && peer.hostId === (hostId ?? (await reads.hostId()))) {
      throw wrongUsage(`${peer.url} is this host itself (${peer.hostId}); a host is not its own peer.`);
    }
    for (const known of await reads.peers()) {
      if (known.name === peer.name) {
        throw new Error(
          `There is a peer ${peer.name} already; "baton peers remove ${peer.name}" removes it.`,
        );
      }
      if (known.hostId !== undefined && known.hostId === peer.hostId) {
        throw new Error(
          `The host ${peer.hostId} is the peer ${known.name} already; remove it to give it another name.`,
        );
      }
      if (known.certificates?.some((print) => peer.certificates?.includes(print))) {
        throw new Error(
          `A certificate of --accept-cert is that of the peer ${known.name} already; each peer needs its own.`,
        );
      }
    }
    await store.putPeer(peer);
  } finally {
    await reads.close();
    await store.close();
  }
}

function described(
  { name, url, hostId, certificates = [], tenant, publishes }: Peer,
  auditKey: PublicKey | undefined,
): string {
  return [
    `peer       ${name}, ${url}`,
    ...(hostId === undefined ? [] : [`host id    ${hostId}`]),
    ...(auditKey === undefined ? [] : [`audit key  ${auditKey.keyId}  ${auditKey.spki}`]),
    ...certificates.map((print) => `accepts    certificate ${print}`),
    `tenant     ${tenant}`,
    `may use    ${publishes.length === 0 ? 'only what is published to everybody' : publishes.join(', ')}`,
  ].join('\n');
}

function taken<T>(flag: string, parsed: Parsed<T>): T {
  if ('value' in parsed) return parsed.value;
  throw wrongUsage(`${flag} ${parsed.wrong}.`);
}

/** The certificates by which this host and a peer know each other. */

interface CertificateFlags {
  /** The certificate that this host presents to the peer, and its private key. */
  readonly cert?: string;
  readonly certKey?: string;
  /** The authorities that may have signed the certificate of the peer. */
  readonly ca?: string;
  /** The certificates that the peer presents to this host. */
  readonly acceptCert?: string;
}

/** The files are checked now, and read again whenever the peer is called. */
function tlsIn({ cert, certKey, ca }: CertificateFlags, url: string): PeerTls | undefined {
  if (cert === undefined && certKey === undefined && ca === undefined) return undefined;
  if ((cert === undefined) !== (certKey === undefined)) {
    throw wrongUsage('--cert and --cert-key belong together; set both, or neither.');
  }
  if (!url.startsWith('https:')) {
    throw wrongUsage(`--url is "${url}", which does not use TLS; write https, or leave out --cert and --ca.`);
  }
  const tls: PeerTls = {
    ...(cert !== undefined &&
      certKey !== undefined && { certificate: { file: resolve(cert), keyFile: resolve(certKey) } }),
    ...(ca !== undefined && { caFile: resolve(ca) }),
  };
  readClientTls(tls);
  return tls;
}

function acceptedIn({ acceptCert }: CertificateFlags, kind: Peer['kind']): readonly string[] | undefined {
  if (acceptCert === undefined) return undefined;
  if (kind === 'baton') return fingerprintsIn(acceptCert);
  throw wrongUsage('An agent of another kind does not call this host; leave out --accept-cert.');
}
