import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSigningKey, type SigningKey, signingKey } from '@baton/engine';
import type { HandoffMetadata } from '@baton/protocol';
import { openSqliteStore } from '@baton/store-sqlite';
import { peerToken } from '../../packages/server/src/peers/peer-token.ts';
import { startTestHost, type TestHost } from './host.ts';

/** A host with the id `here` that knows two peers, for tests of the work that peers hand over. */

interface TestPeer {
  readonly hostId: string;
  readonly auditKey: SigningKey;
}

export const ACME: TestPeer = { hostId: 'host-of-acme', auditKey: signingKey(newSigningKey(), 'the test') };
export const RIVAL: TestPeer = { hostId: 'host-of-rival', auditKey: signingKey(newSigningKey(), 'the test') };

/** A key that reads the runs of both peers. */
export const READER = { key: 'reader' };

export const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

export async function startHostWithPeers(): Promise<TestHost> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'baton-peers-'));
  const store = openSqliteStore(dataFolder);
  for (const [name, { hostId, auditKey }] of Object.entries({ acme: ACME, rival: RIVAL })) {
    await store.putPeer({
      name,
      url: `https://${name}.example`,
      kind: 'baton',
      hostId,
      auditKey: auditKey.pem,
      // Both share a tenant, so that only their principals keep their runs apart.
      tenant: 'peers',
      publishes: name === 'acme' ? ['echo', 'slow', 'gate'] : ['quick'],
      createdAt: 0,
    });
  }
  await store.close();
  const keys = [{ token: READER.key, tenant: 'peers', scopes: ['runs:read', 'approvals:respond'] }];
  const host = await startTestHost({ dataFolder, hostId: 'here' }, keys);
  return {
    ...host,
    async stop(more) {
      await host.stop(more);
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

/** A new token of the peer for the host. Each is accepted once. */
export function tokenOf(peer: TestPeer): string {
  return peerToken(peer, 'here', Date.now());
}

/** The facts of work that acme hands over. */
export function handoffOf(idempotencyKey: string, more: Partial<HandoffMetadata> = {}): HandoffMetadata {
  return {
    worker: 'echo',
    parentRunId: 'run-of-acme',
    causationId: 'run-of-acme:7',
    causationHostId: ACME.hostId,
    idempotencyKey,
    lineage: ['@host-of-acme/desk', '@here/review'],
    traceparent: TRACEPARENT,
    ...more,
  };
}

/** What a run that acme has handed over records about its origin. */
export const ORIGIN = {
  hostId: 'host-of-acme',
  runId: 'run-of-acme',
  causationId: 'run-of-acme:7',
  wellKnownUrl: 'https://acme.example/.well-known/openwop',
};
