/**
 * The id by which other hosts know this one, made with the table and kept in every copy of the database; and
 * the hosts that the operator knows.
 */
export const peers = `
CREATE TABLE host (
  id TEXT NOT NULL
) STRICT;
INSERT INTO host (id) VALUES ('host-' || lower(hex(randomblob(8))));

CREATE TABLE peers (
  name       TEXT    NOT NULL PRIMARY KEY,
  url        TEXT    NOT NULL,
  kind       TEXT    NOT NULL,
  host_id    TEXT    UNIQUE,
  audit_key  TEXT,
  secret     TEXT,
  tenant     TEXT    NOT NULL,
  publishes  TEXT    NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
`;
