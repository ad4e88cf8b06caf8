import {
  type Columns,
  type HostIdReads,
  type Peer,
  type PeerReads,
  present,
  type Store,
} from '@baton/engine/ports';
import { changeAndTell } from '../commit/commit-row.ts';
import type { Database } from '../database/database.ts';
import type { Self } from '../self.ts';

/** The host, which may consist of several processes, and the other hosts that its operator knows. */

type PeerColumns = Columns<Peer>;

const SELECT = `
  SELECT name, url, kind, host_id AS "hostId", audit_key AS "auditKey", secret, tls::json, certificates::json, tenant,
    publishes::json, created_at AS "createdAt"
  FROM peers`;

export function peerReads(database: Database): PeerReads & HostIdReads {
  return {
    async hostId() {
      const row = await database.row<{ id: string }>('SELECT id FROM host');
      if (row === undefined) throw new Error('the database has lost the id of its host; restore a backup');
      return row.id;
    },
    async peer(name) {
      const row = await database.row<PeerColumns>(`${SELECT} WHERE name = $1`, name);
      return row && present<Peer>(row);
    },
    async peers() {
      const rows = await database.rows<PeerColumns>(`${SELECT} ORDER BY name`);
      return rows.map((row) => present<Peer>(row));
    },
  };
}

export function peerWriter(database: Database, self: Self): Pick<Store, 'putPeer' | 'removePeer'> {
  return {
    async putPeer({ name, url, kind, tenant, createdAt, ...peer }) {
      const known = [peer.hostId ?? null, peer.auditKey ?? null, peer.secret ?? null];
      const texts = [jsonOf(peer.tls), jsonOf(peer.certificates), jsonOf(peer.publishes)];
      const values = [name, url, kind, tenant, createdAt, ...known, ...texts];
      await changeAndTell(database, self, { kind: 'peer', name }, PUT, ...values);
    },
    removePeer: (name) =>
      changeAndTell(database, self, { kind: 'peer', name }, 'DELETE FROM peers WHERE name = $1', name),
  };
}

function jsonOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

const PUT = `
  INSERT INTO peers
    (name, url, kind, tenant, created_at, host_id, audit_key, secret, tls, certificates, publishes)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  ON CONFLICT (name) DO UPDATE SET url = excluded.url, kind = excluded.kind, tenant = excluded.tenant,
    created_at = excluded.created_at, host_id = excluded.host_id, audit_key = excluded.audit_key,
    secret = excluded.secret, tls = excluded.tls, certificates = excluded.certificates,
    publishes = excluded.publishes`;
