import { createHash, randomBytes } from 'node:crypto';
import { isRole, ROLE_NAMES, type Role, SHARED_TENANT, scopesOfRole } from '@baton/engine';
import type { ApiKey } from '@baton/engine/ports';
import { SCOPES } from '@baton/protocol';
import { nearest } from '@baton/protocol/nearest';
import { type StorageLocation, storageAt } from '@baton/server/storage';
import { columns } from './columns.ts';
import { notFound, wrongUsage } from './output/command-failure.ts';
import { EXIT, type ExitCode } from './output/exit-codes.ts';
import type { Output } from './output/output.ts';
import { printable, printableLine } from './output/printable.ts';

/** Reads and writes API keys directly in the database. A running host notices a change within a second. */

/** The beginning of the principal of a key that another host uses. */
const PEER = 'peer:';

interface KeyHolder {
  readonly tenant: string;
  readonly principal: string;
  /** Separated by commas. May be absent if there is a role. */
  readonly scopes?: string;
  /** The name of a set of scopes. */
  readonly role?: string;
}

export async function createKey(
  location: StorageLocation,
  holder: KeyHolder,
  out: Output,
): Promise<ExitCode> {
  const { tenant, principal } = holder;
  requireName('--tenant', tenant);
  requireName('--principal', principal);
  if (tenant === SHARED_TENANT) throw wrongUsage('The tenant "*" means all tenants; choose another name.');
  const rights = rightsOf(holder);
  const { key, record } = newKey({ tenant, principal, ...rights }, Date.now());
  const store = await storageAt(location).openStore();
  try {
    if (principal.startsWith(PEER)) await requirePeer(location, principal.slice(PEER.length), tenant);
    await store.putKey(record);
  } finally {
    await store.close();
  }
  out.note(`${record.id} for ${record.principal} of ${record.tenant}: ${record.scopes.join(', ')}`);
  out.note('The key is shown only this time:');
  out.give({ ...told(record), key }, key);
  return EXIT.done;
}

/** The name is recorded in logs and shown to people, so it has to be seen as it is. */
export function requireName(flag: string, name: string): void {
  if (name.trim() !== '' && printableLine(name) === name) return;
  throw wrongUsage(
    `${flag} is ${printable(JSON.stringify(name))}; write a name of visible characters, without spaces around it.`,
  );
}

/** A host does not accept a key that names a peer which is unknown, or whose runs are in another tenant. */
async function requirePeer(location: StorageLocation, name: string, tenant: string): Promise<void> {
  const reads = await storageAt(location).openReads();
  try {
    const peer = await reads.peer(name);
    if (peer?.kind !== 'baton') {
      throw notFound(`There is no host that is the peer ${name}; "baton peers list" shows all peers.`);
    }
    if (peer.tenant !== tenant) {
      throw wrongUsage(
        `The runs of the peer ${name} are in the tenant ${peer.tenant}; write --tenant ${peer.tenant}.`,
      );
    }
  } finally {
    await reads.close();
  }
}

function rightsOf({ scopes, role }: KeyHolder): Pick<ApiKey, 'scopes' | 'roles'> {
  if (scopes === undefined && role === undefined) {
    throw wrongUsage(
      `Set what the key may do with --role or --scopes; the roles are ${ROLE_NAMES.join(', ')}.`,
    );
  }
  const named = scopes === undefined ? [] : parseScopes(scopes);
  if (role === undefined) return { scopes: named };
  const known = parseRole(role);
  return { scopes: [...new Set([...scopesOfRole(known), ...named])], roles: [known] };
}

export async function listKeys(location: StorageLocation, out: Output): Promise<ExitCode> {
  const keys = await readKeys(location);
  if (out.form === 'json') for (const key of keys) out.give(told(key), '');
  else if (keys.length === 0) out.note('There are no keys yet; "baton keys create" makes one.');
  else out.give(undefined, table(keys));
  return EXIT.done;
}

function table(keys: readonly ApiKey[]): string {
  return columns([
    ['ID', 'TENANT', 'PRINCIPAL', 'CREATED (UTC)', 'REVOKED', 'SCOPES'],
    ...keys.map((key) => [
      key.id,
      key.tenant,
      key.principal,
      minute(key.createdAt),
      key.revokedAt === undefined ? '-' : minute(key.revokedAt),
      key.scopes.join(','),
    ]),
  ]);
}

/** A key without the digest of its secret. */
function told({ id, tenant, principal, scopes, createdAt, revokedAt }: ApiKey) {
  const revoked = revokedAt !== undefined && { revokedAt: new Date(revokedAt).toISOString() };
  return { id, tenant, principal, scopes, createdAt: new Date(createdAt).toISOString(), ...revoked };
}

export async function revokeKey(location: StorageLocation, id: string, out: Output): Promise<ExitCode> {
  const known = (await readKeys(location)).find((key) => key.id === id);
  if (known === undefined) throw notFound(`There is no key ${id}; "baton keys list" shows them all.`);
  if (known.revokedAt !== undefined) {
    out.give(told(known), '');
    out.note(`${id} was revoked already, at ${minute(known.revokedAt)} UTC.`);
    return EXIT.done;
  }
  const revokedAt = Date.now();
  const store = await storageAt(location).openStore();
  try {
    await store.revokeKey(id, revokedAt);
  } finally {
    await store.close();
  }
  out.give(told({ ...known, revokedAt }), '');
  out.note(`${id} is revoked; a running host refuses it within a second.`);
  return EXIT.done;
}

async function readKeys(location: StorageLocation): Promise<readonly ApiKey[]> {
  const reads = await storageAt(location).openReads();
  try {
    return await reads.keys();
  } finally {
    await reads.close();
  }
}

function minute(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}

/** A new key and its stored record. The record holds a digest of the key, never the key. */
interface NewKey {
  readonly key: string;
  readonly record: ApiKey;
}

export function newKey(
  holder: Pick<ApiKey, 'tenant' | 'principal' | 'scopes' | 'roles'>,
  now: number,
): NewKey {
  const key = `baton_${randomBytes(32).toString('base64url')}`;
  const id = `key_${randomBytes(6).toString('hex')}`;
  const hash = createHash('sha256').update(key).digest('hex');
  return { key, record: { id, hash, ...holder, createdAt: now } };
}

export function parseRole(text: string): Role {
  if (isRole(text)) return text;
  throw wrongUsage(
    `--role is "${text}", which is not a role; did you mean ${nearest(text, ROLE_NAMES)}? ` +
      `The roles are ${ROLE_NAMES.join(', ')}.`,
  );
}

/** Parses a list with commas. The host ignores unknown scopes, so this function refuses them. */
export function parseScopes(text: string): readonly string[] {
  const scopes = [...new Set(text.split(',').map((scope) => scope.trim()))].filter((scope) => scope !== '');
  if (scopes.length === 0) throw wrongUsage(`--scopes is empty; write one or more of ${SCOPES.join(', ')}`);
  for (const scope of scopes) {
    if (!SCOPES.some((known) => known === scope)) {
      throw wrongUsage(
        `--scopes names "${scope}", which is not a scope; did you mean ${nearest(scope, SCOPES)}? ` +
          `The scopes are ${SCOPES.join(', ')}.`,
      );
    }
  }
  return scopes;
}
