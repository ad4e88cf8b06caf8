import { createPublicKey } from 'node:crypto';
import { type Fetch, fetchFailure, fetchTo } from '@baton/agents';
import { type PublicKey, publicKey } from '@baton/engine';
import type { PeerTls } from '@baton/engine/ports';
import { HostId, problemWith } from '@baton/protocol';
import { readClientTls } from '@baton/server';
import { CommandFailure } from '../output/command-failure.ts';
import { EXIT } from '../output/exit-codes.ts';

/** What another host says of itself at `/.well-known/openwop`: its id, and the key that it signs with. */
interface DescribedHost {
  readonly hostId: string;
  readonly auditKey: PublicKey;
  /** The header with the time of the host. */
  readonly date: string | null;
}

const PATIENCE_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

export async function describedHost(url: string, tls: PeerTls = {}): Promise<DescribedHost> {
  const address = `${url}/.well-known/openwop`;
  const { document, date } = await documentAt(address, tls);
  const hostId = at(document, 'multiAgent', 'executionModel', 'crossHostCausation', 'hostId');
  const spki = at(document, 'auth', 'auditLogIntegrity', 'checkpointPublicKey');
  if (problemWith(HostId, hostId) !== undefined || typeof hostId !== 'string') {
    throw new Error(
      `${address} states no host id. For an agent of another kind, add --a2a; for a host, set --host-id and --audit-key.`,
    );
  }
  const auditKey = typeof spki === 'string' ? keyFrom(spki) : undefined;
  if (auditKey === undefined) {
    throw new Error(
      `${address} states no Ed25519 audit key; set the file of the public key with --audit-key.`,
    );
  }
  return { hostId, auditKey, date };
}

/** The document, and the time of the host that sent it. */
interface DatedDocument {
  readonly document: unknown;
  readonly date: string | null;
}

async function documentAt(address: string, tls: PeerTls): Promise<DatedDocument> {
  // Another address could answer for a host that the operator did not name, so no redirect is followed.
  const client = fetchTo(() => true, { maxBytes: MAX_BYTES, maxRedirects: 0, tls: readClientTls(tls) });
  try {
    return await documentFrom(client.fetch, address);
  } finally {
    await client.close();
  }
}

async function documentFrom(fetch: Fetch, address: string): Promise<DatedDocument> {
  const response = await fetch(address, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((cause: unknown) => {
    throw new CommandFailure(
      `No host answers at ${address}; check --url, or set --host-id and --audit-key.`,
      {
        exit: EXIT.noHost,
        code: 'host_unreachable',
        cause,
      },
    );
  });
  const unusable = (why: string) => new Error(`${address} ${why}; check --url.`);
  if (!response.ok) {
    await response.body?.cancel();
    throw unusable(`answers with the status ${response.status}`);
  }
  const text = await response.text().catch((error: unknown) => {
    if (fetchFailure(error) === 'too-large') throw unusable('answers with more than a description of a host');
    throw unusable('does not complete its answer');
  });
  try {
    return { document: JSON.parse(text), date: response.headers.get('date') };
  } catch {
    throw unusable('does not answer with JSON');
  }
}

function at(value: unknown, ...names: readonly string[]): unknown {
  let found = value;
  for (const name of names) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

function keyFrom(spki: string): PublicKey | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' });
    return publicKey(key.export({ type: 'spki', format: 'pem' }).toString(), 'the described key');
  } catch {
    return undefined;
  }
}
