/**
 * Keys are integers, because the size of the keys dominates the cost of an event. `pos` always grows, so an
 * event is appended at the end of the table and near the end of its index.
 *
 * Most runs are completed, so the indexes for other runs leave them out. A run that is created and completed
 * in one slice is never written to these indexes. The wake-up time of a tree is in the row of its root.
 */
export const runsAndEvents = `
CREATE TABLE runs (
  run_no           INTEGER PRIMARY KEY,
  run_id           TEXT    NOT NULL UNIQUE,
  root_no          INTEGER NOT NULL,
  parent_no        INTEGER,
  parent_node_id   TEXT,
  tenant           TEXT    NOT NULL,
  principal        TEXT    NOT NULL,
  workflow_id      TEXT    NOT NULL,
  workflow_version INTEGER NOT NULL,
  status           TEXT    NOT NULL,
  tags             TEXT,
  created_at       INTEGER NOT NULL,
  updated_at       INTEGER NOT NULL,
  head             INTEGER NOT NULL,
  wake_at          INTEGER,
  unfinished       INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_by_tenant ON runs (tenant, run_no);
CREATE INDEX runs_by_status ON runs (tenant, status, run_no) WHERE status <> 'completed';
CREATE INDEX runs_by_parent ON runs (parent_no, run_no) WHERE parent_no IS NOT NULL;
CREATE INDEX runs_tagged ON runs (tenant, run_no) WHERE tags IS NOT NULL;
CREATE INDEX runs_live ON runs (root_no, run_no) WHERE status NOT IN ('completed', 'failed', 'cancelled');
CREATE INDEX runs_wake ON runs (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_unfinished ON runs (run_no) WHERE unfinished = 1;

CREATE TABLE events (
  pos    INTEGER PRIMARY KEY,
  run_no INTEGER NOT NULL,
  seq    INTEGER NOT NULL,
  data   TEXT    NOT NULL,
  UNIQUE (run_no, seq)
) STRICT;

CREATE TABLE checkpoints (
  run_no       INTEGER PRIMARY KEY,
  seq          INTEGER NOT NULL,
  fold_version INTEGER NOT NULL,
  state        TEXT    NOT NULL
) STRICT;

CREATE TABLE interrupts (
  interrupt_no INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant       TEXT    NOT NULL,
  run_no       INTEGER NOT NULL,
  interrupt_id TEXT    NOT NULL,
  node_id      TEXT    NOT NULL,
  kind         TEXT    NOT NULL,
  title        TEXT    NOT NULL,
  requested_at INTEGER NOT NULL,
  expires_at   INTEGER,
  UNIQUE (run_no, interrupt_id)
) STRICT;
CREATE INDEX interrupts_by_tenant ON interrupts (tenant, interrupt_no);

CREATE TABLE replies (
  tenant  TEXT    NOT NULL,
  key     TEXT    NOT NULL,
  request TEXT    NOT NULL,
  reply   TEXT    NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (tenant, key)
) STRICT;
CREATE INDEX replies_by_age ON replies (at);

CREATE TABLE late_outcomes (
  key     TEXT    NOT NULL PRIMARY KEY,
  run_id  TEXT    NOT NULL,
  outcome TEXT    NOT NULL,
  at      INTEGER NOT NULL
) STRICT;

CREATE TABLE definitions (
  digest     TEXT NOT NULL PRIMARY KEY,
  definition TEXT NOT NULL
) STRICT;

CREATE TABLE workflows (
  tenant     TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  version    INTEGER NOT NULL,
  digest     TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
  id         TEXT    NOT NULL PRIMARY KEY,
  hash       TEXT    NOT NULL UNIQUE,
  tenant     TEXT    NOT NULL,
  principal  TEXT    NOT NULL,
  scopes     TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
`;
