import { publicKey } from '@baton/engine';
import type { Peer } from '@baton/engine/ports';
import { CONTRACTS } from '@baton/protocol';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';

export const peerRoutes: Routes = (app, host) => {
  bind(app, CONTRACTS.listPeers, async () => ({
    hostId: host.hostId,
    peers: (await host.reads.peers()).map(shown),
  }));
};

function shown({ auditKey, secret, tls, createdAt, ...peer }: Peer) {
  return {
    ...peer,
    ...(auditKey !== undefined && { auditKey: keyIn(auditKey, peer.name) }),
    credentials: credentialsIn(secret, tls),
    createdAt: new Date(createdAt).toISOString(),
  };
}

function credentialsIn(secret: Peer['secret'], tls: Peer['tls']): 'jwt' | 'secret' | 'mtls' {
  if (tls?.certificate !== undefined) return 'mtls';
  return secret === undefined ? 'jwt' : 'secret';
}

function keyIn(pem: string, name: string) {
  const key = publicKey(pem, `the audit key of the peer ${name}`);
  return { keyId: key.keyId, publicKey: key.pem };
}
