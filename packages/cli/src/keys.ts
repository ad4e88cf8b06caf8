import { ROLE_NAMES, SHARED_TENANT, scopesOfRole } from '@baton/engine';
import type { ApiKey } from '@baton/engine/ports';
import { type StorageLocation, storageAt } from '@baton/server/storage';
import { newKey } from './api-key.ts';
import { columns } from './columns.ts';
import { parseRole } from './roles.ts';
import { parseScopes } from './scopes.ts';
import type { Terminal } from './terminal.ts';

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
  terminal: Terminal,
): Promise<void> {
  const { tenant, principal } = holder;
  if (tenant === SHARED_TENANT) throw new Error('The tenant "*" means all tenants; choose another name.');
  const rights = rightsOf(holder);
  const { key, record } = newKey({ tenant, principal, ...rights }, Date.now());
  const store = await storageAt(location).openStore();
  try {
    if (principal.startsWith(PEER)) await requirePeer(location, principal.slice(PEER.length), tenant);
    await store.putKey(record);
  } finally {
    await store.close();
  }
  terminal.note(`${record.id} for ${record.principal} of ${record.tenant}: ${record.scopes.join(', ')}`);
  terminal.note('The key is shown only this time:');
  terminal.print(key);
}

/** A host does not accept a key that names a peer which is unknown, or whose runs are in another tenant. */
async function requirePeer(location: StorageLocation, name: string, tenant: string): Promise<void> {
  const reads = await storageAt(location).openReads();
  try {
    const peer = await reads.peer(name);
    if (peer?.kind !== 'baton') {
      throw new Error(`There is no host that is the peer ${name}; "baton peers list" shows all peers.`);
    }
    if (peer.tenant !== tenant) {
      throw new Error(
        `The runs of the peer ${name} are in the tenant ${peer.tenant}; write --tenant ${peer.tenant}.`,
      );
    }
  } finally {
    await reads.close();
  }
}

function rightsOf({ scopes, role }: KeyHolder): Pick<ApiKey, 'scopes' | 'roles'> {
  if (scopes === undefined && role === undefined) {
    throw new Error(
      `Set what the key may do with --role or --scopes; the roles are ${ROLE_NAMES.join(', ')}.`,
    );
  }
  const named = scopes === undefined ? [] : parseScopes(scopes);
  if (role === undefined) return { scopes: named };
  const known = parseRole(role);
  return { scopes: [...new Set([...scopesOfRole(known), ...named])], roles: [known] };
}

export async function listKeys(location: StorageLocation, terminal: Terminal, asJson = false): Promise<void> {
  const keys = await readKeys(location);
  if (asJson) {
    for (const key of keys) terminal.print(JSON.stringify(told(key)));
    return;
  }
  if (keys.length === 0) {
    terminal.note('There are no keys yet; "baton keys create" makes one.');
    return;
  }
  terminal.print(
    columns([
      ['ID', 'TENANT', 'PRINCIPAL', 'CREATED (UTC)', 'REVOKED', 'SCOPES'],
      ...keys.map((key) => [
        key.id,
        key.tenant,
        key.principal,
        minute(key.createdAt),
        key.revokedAt === undefined ? '-' : minute(key.revokedAt),
        key.scopes.join(','),
      ]),
    ]),
  );
}

/** A key without the digest of its secret. */
function told({ id, tenant, principal, scopes, createdAt, revokedAt }: ApiKey) {
  const revoked = revokedAt !== undefined && { revokedAt: new Date(revokedAt).toISOString() };
  return { id, tenant, principal, scopes, createdAt: new Date(createdAt).toISOString(), ...revoked };
}

export async function revokeKey(location: StorageLocation, id: string, terminal: Terminal): Promise<void> {
  const known = (await readKeys(location)).find((key) => key.id === id);
  if (known === undefined) throw new Error(`There is no key ${id}; "baton keys list" shows them all.`);
  if (known.revokedAt !== undefined) {
    terminal.note(`${id} was revoked already, at ${minute(known.revokedAt)} UTC.`);
    return;
  }
  const store = await storageAt(location).openStore();
  try {
    await store.revokeKey(id, Date.now());
  } finally {
    await store.close();
  }
  terminal.note(`${id} is revoked; a running host refuses it within a second.`);
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
