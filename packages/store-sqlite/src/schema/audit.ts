/**
 * Signed checkpoints. A checkpoint lists the runs it covers, in the order in which they were signed; `sequence` is its
 * place in the audit log that the protocol defines. The head and link of each run are in `audit_leaves`, next to those of
 * other checkpoints for the same run. `audit_progress` is the position up to which checkpoints cover the events, and the
 * number of the newest checkpoint, with which an audit notices removed checkpoints.
 *
 * The protocol asks for an append-only log, so the database refuses to change or delete checkpoints and leaves.
 */
export const auditTables = [
  `
CREATE TABLE audit_checkpoints (
  number    INTEGER PRIMARY KEY,
  at        INTEGER NOT NULL,
  digest    TEXT    NOT NULL,
  key_id    TEXT    NOT NULL,
  signature TEXT    NOT NULL,
  runs      TEXT    NOT NULL,
  sequence  INTEGER NOT NULL
) STRICT;

CREATE TABLE audit_leaves (
  run_no     INTEGER NOT NULL,
  checkpoint INTEGER NOT NULL,
  head       INTEGER NOT NULL,
  link       TEXT    NOT NULL,
  PRIMARY KEY (run_no, checkpoint)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_progress (
  only   INTEGER PRIMARY KEY CHECK (only = 1),
  pos    INTEGER NOT NULL,
  newest INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO audit_progress (only, pos) VALUES (1, 0);

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

CREATE TRIGGER audit_checkpoints_not_changed BEFORE UPDATE ON audit_checkpoints
BEGIN SELECT RAISE(ABORT, 'a signed checkpoint cannot be changed'); END;

CREATE TRIGGER audit_checkpoints_not_deleted BEFORE DELETE ON audit_checkpoints
BEGIN SELECT RAISE(ABORT, 'a signed checkpoint cannot be deleted'); END;

CREATE TRIGGER audit_leaves_not_changed BEFORE UPDATE ON audit_leaves
BEGIN SELECT RAISE(ABORT, 'a leaf of a signed checkpoint cannot be changed'); END;

CREATE TRIGGER audit_leaves_not_deleted BEFORE DELETE ON audit_leaves
BEGIN SELECT RAISE(ABORT, 'a leaf of a signed checkpoint cannot be deleted'); END;
`,
];
