import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { publicKey } from '@baton/engine';
import { readAuditKey } from '@baton/server';
import { type StorageLocation, storageAt } from '@baton/server/storage';
import { hostOf, locationOf } from '../commands/options.ts';
import { describedHost } from '../peers/described-host.ts';
import {
  auditKeyFile,
  dataFolder,
  type Environment,
  environment,
  type Flags,
  find,
} from '../settings/given.ts';
import { withProject } from '../settings/project-settings.ts';
import { readSettings } from '../settings.ts';
import { leastNode } from '../version.ts';
import type { DataFacts, Facts, KeyFacts, PeerFacts } from './facts.ts';
import { clockAhead, hostFacts } from './host-facts.ts';

/** Looks at the machine, the data folder, the host and the peers. Nothing is changed. */
export async function gatherFacts(flags: Flags): Promise<Facts> {
  const env = environment();
  // The address and the key of a running host are no settings of a host on this machine.
  const reading = readSettings(withProject(env, {}), { data: flags.data });
  const address = hostOf(flags);
  const [{ facts: host, providers, peers }, keys] = await Promise.all([
    hostFacts(address),
    keyFacts(locationOf(flags), env, flags),
  ]);
  const configured = reading.ok ? Object.entries(reading.settings.models?.providers ?? {}) : [];
  return {
    node: { version: process.versions.node, least: leastNode() },
    settings: { problems: reading.ok ? [] : reading.problems, warnings: reading.warnings },
    data: dataFacts(dataFolder(env, flags)),
    host,
    keys,
    models:
      providers ??
      (configured.length > 0 ? configured : UNCONFIGURED).map(([provider, { kind }]) => ({ provider, kind })),
    peers: await peerFacts(peers, locationOf(flags)),
  };
}

/** A host without a provider uses the built-in one. */
const UNCONFIGURED = [['scripted', { kind: 'scripted' }]] as const;

function dataFacts(folder: string): DataFacts {
  const path = resolve(folder);
  const existing = nearestExisting(path);
  const isFolder = statSync(existing).isDirectory();
  const state = !isFolder ? 'not-a-folder' : existing === path ? 'folder' : 'absent';
  return { folder: path, state, writable: isWritable(existing), freeBytes: freeBytes(existing) };
}

/** The path, or the nearest folder above it that exists, or a file that is in the place of a folder. */
function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** The keys that the environment and the data folder hold. Without a data folder there are none yet. */
async function keyFacts(location: StorageLocation, env: Environment, flags: Flags): Promise<KeyFacts> {
  const storage = storageAt(location);
  const given = typeof flags.key === 'string' || find('BATON_API_KEY', env, flags) !== undefined;
  const development = await settled(storage.readKey('development'));
  const audit = await settled(readAuditKey(storage, auditKeyFile(env, flags)));
  const apiKeys = await settled(countKeys(location));
  return {
    operator: given ? 'environment' : development.value === undefined ? 'none' : 'development',
    auditKey: audit.failed ? 'unreadable' : audit.value === undefined ? 'absent' : 'present',
    ...(apiKeys.value !== undefined && { apiKeys: apiKeys.value }),
  };
}

async function countKeys(location: StorageLocation): Promise<number> {
  const reads = await storageAt(location).openReads();
  try {
    return (await reads.keys()).length;
  } finally {
    await reads.close();
  }
}

async function settled<T>(asked: Promise<T>): Promise<{ readonly value?: T; readonly failed: boolean }> {
  try {
    return { value: await asked, failed: false };
  } catch {
    return { failed: true };
  }
}

/** A peer as the host lists it. */
interface KnownPeer {
  readonly name: string;
  readonly url: string;
  readonly kind: 'baton' | 'a2a';
  readonly hostId?: string;
  readonly auditKey?: { readonly keyId: string };
}

/** Asks each peer who it is. The host lists the peers; without a host, its data folder does. */
async function peerFacts(
  listed: readonly KnownPeer[] | undefined,
  location: StorageLocation,
): Promise<readonly PeerFacts[]> {
  const peers = listed ?? (await storedPeers(location));
  return await Promise.all(peers.map(askedPeer));
}

async function storedPeers(location: StorageLocation): Promise<readonly KnownPeer[]> {
  const reads = await storageAt(location)
    .openReads()
    .catch(() => undefined);
  if (reads === undefined) return [];
  try {
    const peers = await reads.peers();
    return peers.map(({ name, url, kind, hostId, auditKey }) => ({
      name,
      url,
      kind,
      ...(hostId !== undefined && { hostId }),
      ...(auditKey !== undefined && { auditKey: publicKey(auditKey, name) }),
    }));
  } finally {
    await reads.close();
  }
}

async function askedPeer({ name, url, kind, hostId, auditKey }: KnownPeer): Promise<PeerFacts> {
  const peer = { name, url, kind };
  if (kind === 'a2a') return { ...peer, state: (await answers(url)) ? 'same' : 'unreachable' };
  try {
    const described = await describedHost(url);
    const ahead = clockAhead(described.date, Date.now());
    const clock = ahead === undefined ? {} : { clockAheadMs: ahead };
    if (described.hostId !== hostId) return { ...peer, state: 'other-host', ...clock };
    if (described.auditKey.keyId !== auditKey?.keyId) return { ...peer, state: 'other-key', ...clock };
    return { ...peer, state: 'same', ...clock };
  } catch {
    return { ...peer, state: 'unreachable' };
  }
}

/** An agent of another kind is asked for its card. */
async function answers(url: string): Promise<boolean> {
  try {
    const card = new URL('/.well-known/agent-card.json', url);
    const response = await fetch(card, { redirect: 'error', signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
