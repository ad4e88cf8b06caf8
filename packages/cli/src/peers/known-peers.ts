import { publicKey } from '@baton/engine';
import type { Peer } from '@baton/engine/ports';
import { readAuditKey } from '@baton/server';
import { storageAt } from '@baton/server/storage';
import { columns } from '../columns.ts';
import { notFound } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import type { OwnHost } from './add-peer.ts';
import { toldKey, toldPeer } from './told-peer.ts';

/** Reads and removes peers directly in the database. */

export async function listPeers(
  own: OwnHost & { readonly auditKeyFile: string | undefined },
  out: Output,
): Promise<ExitCode> {
  const storage = storageAt(own.location);
  const reads = await storage.openReads();
  try {
    const key = await readAuditKey(storage, own.auditKeyFile);
    const hostId = own.hostId ?? (await reads.hostId());
    const signs =
      key === undefined
        ? 'it has no audit key before its first start'
        : `audit key ${key.keyId}  ${key.spki}`;
    out.note(`This host is ${hostId}; ${signs}`);
    const peers = await reads.peers();
    const told = { hostId, ...(key !== undefined && { auditKey: toldKey(key) }), peers: peers.map(toldPeer) };
    out.give(told, peers.length === 0 ? '' : table(peers));
    if (peers.length === 0) out.note('There are no peers yet; "baton peers add" adds one.');
    return EXIT.done;
  } finally {
    await reads.close();
  }
}

function table(peers: readonly Peer[]): string {
  return columns([
    ['NAME', 'URL', 'HOST ID', 'AUDIT KEY', 'TENANT', 'SENDS', 'CERTIFICATE', 'MAY USE'],
    ...peers.map(({ name, url, kind, hostId, auditKey, tenant, certificates, publishes, ...peer }) => [
      name,
      url,
      kind === 'a2a' ? '(another kind)' : (hostId ?? '-'),
      auditKey === undefined ? '-' : publicKey(auditKey, `the audit key of ${name}`).keyId,
      tenant,
      sentTo(peer),
      certificates?.map(beginning).join(',') ?? '-',
      publishes.length === 0 ? '-' : publishes.join(','),
    ]),
  ]);
}

function sentTo({ secret, tls }: Pick<Peer, 'secret' | 'tls'>): string {
  if (tls?.certificate !== undefined) return `certificate ${tls.certificate.file}`;
  return secret === undefined ? 'signed token' : `secret ${secret}`;
}

/** Enough of a fingerprint to tell two certificates apart by eye. */
function beginning(fingerprint: string): string {
  return `${fingerprint.slice(0, 23)}…`;
}

export async function removePeer({ location }: OwnHost, name: string, out: Output): Promise<ExitCode> {
  const storage = storageAt(location);
  // Opened first, because opening the store of an empty folder would create a database in it.
  const reads = await storage.openReads();
  await reads.close();
  const store = await storage.openStore();
  try {
    if (await store.removePeer(name)) {
      out.give({ name, removed: true }, '');
      out.note(`${name} is removed; a running host refuses it within a second. Its runs stay.`);
      return EXIT.done;
    }
  } finally {
    await store.close();
  }
  throw notFound(`There is no peer ${name}; "baton peers list" shows them all.`);
}
