/** The scopes and roles of a key are JSON. A key that was created with scopes only has no roles. */
const API_KEYS = `
CREATE TABLE api_keys (
  id         TEXT    NOT NULL PRIMARY KEY,
  hash       TEXT    NOT NULL UNIQUE,
  tenant     TEXT    NOT NULL,
  principal  TEXT    NOT NULL,
  scopes     TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER,
  roles      TEXT
) STRICT;
`;

/** Secrets that tenants set while a host runs. The values are encrypted with a key outside of the database. */
const SECRETS = `
CREATE TABLE secrets (
  tenant     TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  jwe        TEXT    NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, name)
) STRICT;
`;

export const keyTables = [API_KEYS, SECRETS];
