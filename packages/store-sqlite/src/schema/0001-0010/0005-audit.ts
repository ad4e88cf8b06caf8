/**
 * Signed checkpoints. A checkpoint lists the runs it covers, in the order in which they were signed. The head
 * and link of each run are in `audit_leaves`, next to those of other checkpoints for the same run.
 * `audit_progress` is the position up to which checkpoints cover the events. Events from before this
 * migration are not covered.
 */
export const audit = `
CREATE TABLE audit_checkpoints (
  number    INTEGER PRIMARY KEY,
  at        INTEGER NOT NULL,
  digest    TEXT    NOT NULL,
  key_id    TEXT    NOT NULL,
  signature TEXT    NOT NULL,
  runs      TEXT    NOT NULL
) STRICT;

CREATE TABLE audit_leaves (
  run_no     INTEGER NOT NULL,
  checkpoint INTEGER NOT NULL,
  head       INTEGER NOT NULL,
  link       TEXT    NOT NULL,
  PRIMARY KEY (run_no, checkpoint)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_progress (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  pos  INTEGER NOT NULL
) STRICT;
INSERT INTO audit_progress SELECT 1, coalesce(max(pos), 0) FROM events;

CREATE TABLE erasures (
  run_no    INTEGER PRIMARY KEY,
  at        INTEGER NOT NULL,
  by        TEXT    NOT NULL,
  reason    TEXT    NOT NULL,
  first     INTEGER NOT NULL,
  links     TEXT    NOT NULL,
  remains   TEXT    NOT NULL,
  key_id    TEXT    NOT NULL,
  signature TEXT    NOT NULL
) STRICT;
`;
