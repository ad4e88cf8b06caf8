/** Secrets that tenants set while a host runs. The values are encrypted with a key outside of the database. */
export const secrets = `
CREATE TABLE secrets (
  tenant     TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  jwe        TEXT    NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, name)
) STRICT;
`;
