import { expect, it } from 'vitest';
import type { Peer } from '../../../engine/src/ports/reads/peers.ts';
import { T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

export function peerContract(factory: StoreFactory): void {
  it('makes an id for its host once, and another one in every new store', async () => {
    const first = await fresh(factory);
    const hostId = await first.reads.hostId();
    expect(hostId).toMatch(/^host-[0-9a-f]{16}$/);
    expect(await (await fresh(factory)).reads.hostId()).not.toBe(hostId);
    expect(await (await first.reopen()).reads.hostId()).toBe(hostId);
  });

  it('finds a peer by its name, and lists all in the order of their names', async () => {
    const { store, reads } = await fresh(factory);
    const agent: Peer = {
      name: 'agent',
      url: 'https://agent.example',
      kind: 'a2a',
      secret: 'AGENT_KEY',
      tenant: 'peer-agent',
      publishes: [],
      createdAt: T0,
    };
    await store.putPeer(peer('borrower'));
    await store.putPeer(agent);
    await store.putPeer({ ...agent, name: 'second-agent' });
    const certificate = { file: '/keys/me.pem', keyFile: '/keys/me.key' };
    const secure = peer('secure', { tls: { certificate, caFile: '/keys/ca.pem' }, certificates: ['AB:CD'] });
    await store.putPeer(secure);
    expect(await reads.peer('borrower')).toEqual(peer('borrower'));
    expect(await reads.peer('agent')).toEqual(agent);
    expect(await reads.peer('secure')).toEqual(secure);
    expect(await reads.peer('nobody')).toBeUndefined();
    expect((await reads.peers()).map(({ name }) => name)).toEqual([
      'agent',
      'borrower',
      'second-agent',
      'secure',
    ]);
  });

  it('replaces a peer of the same name as a whole', async () => {
    const { store, reads } = await fresh(factory);
    await store.putPeer(
      peer('acme', { secret: 'ACME_KEY', tls: { caFile: 'ca.pem' }, certificates: ['AB:CD'] }),
    );
    const next = peer('acme', { hostId: 'another', publishes: [], tenant: 'default' });
    await store.putPeer(next);
    expect(await reads.peers()).toEqual([next]);
  });

  it('does not store one host as two peers', async () => {
    const { store, reads } = await fresh(factory);
    await store.putPeer(peer('acme'));
    await expect(store.putPeer(peer('acme-2', { hostId: 'host of acme' }))).rejects.toThrow();
    expect(await reads.peers()).toEqual([peer('acme')]);
  });

  it('removes a peer once', async () => {
    const { store, reads } = await fresh(factory);
    await store.putPeer(peer('acme'));
    expect(await store.removePeer('acme')).toBe(true);
    expect(await store.removePeer('acme')).toBe(false);
    expect(await reads.peers()).toEqual([]);
  });
}

function peer(name: string, more: Partial<Peer> = {}): Peer {
  return {
    name,
    url: `https://${name}.example`,
    kind: 'baton',
    hostId: `host of ${name}`,
    auditKey: `key of ${name}`,
    tenant: `peer-${name}`,
    publishes: ['translate', 'agent:writer'],
    createdAt: T0,
    ...more,
  };
}
