import { type HostIdReads, type Peer, type PeerReads, parsed, type Store } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { written } from '../database/storage-full.ts';

/** This host and the other hosts that its operator knows. */

const SELECT = `
  SELECT name, url, kind, host_id AS hostId, audit_key AS auditKey, secret, tls, certificates, tenant, publishes,
    created_at AS createdAt
  FROM peers`;

const toPeer = (row: object) => parsed<Peer>(row, 'tls', 'certificates', 'publishes');

export function peerReads(database: Database): PeerReads & HostIdReads {
  const own = database.prepare<{ id: string }>('SELECT id FROM host');
  const one = database.prepare<object>(`${SELECT} WHERE name = ?`);
  const all = database.prepare<object>(`${SELECT} ORDER BY name`);
  return {
    async hostId() {
      const row = own.get();
      if (row === undefined) throw new Error('the database has lost the id of its host; restore a backup');
      return row.id;
    },
    async peer(name) {
      const row = one.get(name);
      return row && toPeer(row);
    },
    peers: async () => all.all().map(toPeer),
  };
}

export function peerWriter(database: Database): Pick<Store, 'putPeer' | 'removePeer'> {
  const put = database.prepare(PUT);
  const remove = database.prepare('DELETE FROM peers WHERE name = ?');
  return {
    async putPeer({ name, url, kind, tenant, createdAt, ...peer }) {
      const known = [peer.hostId ?? null, peer.auditKey ?? null, peer.secret ?? null];
      const texts = [jsonOf(peer.tls), jsonOf(peer.certificates), jsonOf(peer.publishes)];
      written(() => put.run(name, url, kind, tenant, createdAt, ...known, ...texts));
    },
    removePeer: async (name) => written(() => remove.run(name)),
  };
}

function jsonOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

const PUT = `
  INSERT INTO peers
    (name, url, kind, tenant, created_at, host_id, audit_key, secret, tls, certificates, publishes)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (name) DO UPDATE SET url = excluded.url, kind = excluded.kind, tenant = excluded.tenant,
    created_at = excluded.created_at, host_id = excluded.host_id, audit_key = excluded.audit_key,
    secret = excluded.secret, tls = excluded.tls, certificates = excluded.certificates,
    publishes = excluded.publishes`;
