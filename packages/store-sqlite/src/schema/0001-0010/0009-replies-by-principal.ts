/**
 * A stored reply belongs to the principal who sent the request, not to the whole tenant. The principal of
 * older replies is not known: an empty principal means all principals of the tenant. Replies are deleted
 * after a day.
 */
export const repliesByPrincipal = `
ALTER TABLE replies RENAME TO replies_before;
DROP INDEX replies_by_age;
CREATE TABLE replies (
  tenant    TEXT    NOT NULL,
  principal TEXT    NOT NULL,
  key       TEXT    NOT NULL,
  request   TEXT    NOT NULL,
  reply     TEXT    NOT NULL,
  at        INTEGER NOT NULL,
  PRIMARY KEY (tenant, key, principal)
) STRICT;
CREATE INDEX replies_by_age ON replies (at);
INSERT INTO replies (tenant, principal, key, request, reply, at)
  SELECT tenant, '', key, request, reply, at FROM replies_before;
DROP TABLE replies_before;
`;
