import type { HostIdReads, Peer, PeerReads, Store } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { writeFailure } from '../database/storage-full.ts';

/** This host and the other hosts that its operator knows. */

interface PeerColumns extends Omit<Peer, 'hostId' | 'auditKey' | 'secret' | 'publishes'> {
  readonly hostId: string | null;
  readonly auditKey: string | null;
  readonly secret: string | null;
  readonly publishes: string;
}

const SELECT = `
  SELECT name, url, kind, host_id AS hostId, audit_key AS auditKey, secret, tenant, publishes, created_at AS createdAt
  FROM peers`;

export function peerReads(database: Database): PeerReads & HostIdReads {
  const own = database.prepare<{ id: string }>('SELECT id FROM host');
  const one = database.prepare<PeerColumns>(`${SELECT} WHERE name = ?`);
  const all = database.prepare<PeerColumns>(`${SELECT} ORDER BY name`);
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
    async putPeer({ name, url, kind, hostId, auditKey, secret, tenant, publishes, createdAt }) {
      const listed = JSON.stringify(publishes);
      try {
        put.run(name, url, kind, hostId ?? null, auditKey ?? null, secret ?? null, tenant, listed, createdAt);
      } catch (error) {
        throw writeFailure(error);
      }
    },
    async removePeer(name) {
      try {
        return remove.run(name).changes === 1;
      } catch (error) {
        throw writeFailure(error);
      }
    },
  };
}

function toPeer({ hostId, auditKey, secret, publishes, ...rest }: PeerColumns): Peer {
  return {
    ...rest,
    ...(hostId !== null && { hostId }),
    ...(auditKey !== null && { auditKey }),
    ...(secret !== null && { secret }),
    publishes: JSON.parse(publishes),
  };
}

const PUT = `
  INSERT INTO peers (name, url, kind, host_id, audit_key, secret, tenant, publishes, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (name) DO UPDATE SET url = excluded.url, kind = excluded.kind, host_id = excluded.host_id,
    audit_key = excluded.audit_key, secret = excluded.secret, tenant = excluded.tenant,
    publishes = excluded.publishes, created_at = excluded.created_at`;
