import type { HostIdReads, Peer, PeerReads, Store } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { writeFailure } from '../database/storage-full.ts';

/** This host and the other hosts that its operator knows. */

type Absent = 'hostId' | 'auditKey' | 'secret';

interface PeerColumns extends Omit<Peer, Absent | 'tls' | 'certificates' | 'publishes'> {
  readonly hostId: string | null;
  readonly auditKey: string | null;
  readonly secret: string | null;
  /** These three are JSON. */
  readonly tls: string | null;
  readonly certificates: string | null;
  readonly publishes: string;
}

const SELECT = `
  SELECT name, url, kind, host_id AS hostId, audit_key AS auditKey, secret, tls, certificates, tenant, publishes,
    created_at AS createdAt
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
    async putPeer({ name, url, kind, tenant, createdAt, ...peer }) {
      const known = [peer.hostId ?? null, peer.auditKey ?? null, peer.secret ?? null];
      const texts = [jsonOf(peer.tls), jsonOf(peer.certificates), jsonOf(peer.publishes)];
      try {
        put.run(name, url, kind, tenant, createdAt, ...known, ...texts);
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

function jsonOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function toPeer({ hostId, auditKey, secret, tls, certificates, publishes, ...rest }: PeerColumns): Peer {
  return {
    ...rest,
    ...(hostId !== null && { hostId }),
    ...(auditKey !== null && { auditKey }),
    ...(secret !== null && { secret }),
    ...(tls !== null && { tls: JSON.parse(tls) }),
    ...(certificates !== null && { certificates: JSON.parse(certificates) }),
    publishes: JSON.parse(publishes),
  };
}

const PUT = `
  INSERT INTO peers
    (name, url, kind, tenant, created_at, host_id, audit_key, secret, tls, certificates, publishes)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (name) DO UPDATE SET url = excluded.url, kind = excluded.kind, tenant = excluded.tenant,
    created_at = excluded.created_at, host_id = excluded.host_id, audit_key = excluded.audit_key,
    secret = excluded.secret, tls = excluded.tls, certificates = excluded.certificates,
    publishes = excluded.publishes`;
