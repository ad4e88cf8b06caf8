/**
 * Keys are integers, because the size of the keys dominates the cost of an event. `pos` always grows, so an event is
 * appended at the end of the table and near the end of its index. The trigger keeps the greatest position in use when the
 * newest events are removed: SQLite would use it again, and a webhook that has passed it would miss the new event. The
 * kept row belongs to no run.
 *
 * Most runs are completed, so the indexes for other runs leave them out. A run that is created and completed in one slice
 * is never written to these indexes. The row of a root has the wake-up time of its tree, and the place of its newest
 * event (`places`), so that a slice which was computed from an older state is refused.
 *
 * The log of a fork begins with the events before `base_seq` of the run `base_no`. `source_no` is the run that the caller
 * named as the source. It can be another run than `base_no`, if the source is itself a fork.
 *
 * `listed` is the part of the state of a run that the list of runs shows, as JSON. A tree is erased run by run, and
 * `runs_erased` finds what an interruption left.
 */
const RUNS = `
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
  unfinished       INTEGER NOT NULL,
  role             TEXT,
  goal_met         INTEGER,
  base_no          INTEGER,
  base_seq         INTEGER,
  source_no        INTEGER,
  fork             TEXT,
  chain            TEXT,
  purged_at        INTEGER,
  erased_at        INTEGER,
  places           INTEGER,
  listed           TEXT
) STRICT;

CREATE INDEX runs_by_tenant ON runs (tenant, run_no);
CREATE INDEX runs_by_status ON runs (tenant, status, run_no) WHERE status <> 'completed';
CREATE INDEX runs_by_parent ON runs (parent_no, run_no) WHERE parent_no IS NOT NULL;
CREATE INDEX runs_tagged ON runs (tenant, run_no) WHERE tags IS NOT NULL;
CREATE INDEX runs_live ON runs (root_no, run_no) WHERE status NOT IN ('completed', 'failed', 'cancelled');
CREATE INDEX runs_wake ON runs (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_unfinished ON runs (run_no) WHERE unfinished = 1;
CREATE INDEX runs_by_base ON runs (base_no) WHERE base_no IS NOT NULL;
CREATE INDEX runs_by_source ON runs (source_no) WHERE source_no IS NOT NULL;
CREATE INDEX runs_kept ON runs (tenant, created_at) WHERE parent_no IS NULL AND purged_at IS NULL;
CREATE INDEX runs_erased ON runs (root_no) WHERE erased_at IS NOT NULL;
`;

/**
 * `place` is the place of the event in its tree. `step_rest` is how many events of its step follow it, and `starts` is 1
 * if a step begins with it. SQLite stores a 0 and a 1 without using space in the row.
 */
const EVENTS = `
CREATE TABLE events (
  pos       INTEGER PRIMARY KEY,
  run_no    INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  data      TEXT    NOT NULL,
  starts    INTEGER,
  place     INTEGER NOT NULL DEFAULT 0,
  step_rest INTEGER NOT NULL DEFAULT 0,
  UNIQUE (run_no, seq)
) STRICT;

CREATE TRIGGER events_newest_removed AFTER DELETE ON events
WHEN old.run_no <> 0 AND old.pos > coalesce((SELECT max(pos) FROM events), 0) BEGIN
  DELETE FROM events WHERE run_no = 0 AND seq = 0;
  INSERT INTO events (pos, run_no, seq, data) VALUES (old.pos, 0, 0, '');
END;
`;

/** Saved states are a cache of the fold. */
const CHECKPOINTS = `
CREATE TABLE checkpoints (
  run_no       INTEGER NOT NULL,
  seq          INTEGER NOT NULL,
  fold_version INTEGER NOT NULL,
  chain        TEXT,
  state        TEXT    NOT NULL,
  PRIMARY KEY (run_no, seq)
) STRICT;
`;

const INTERRUPTS = `
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
`;

/**
 * The effects that are not settled, each with the host that performs it. One that was offered has a kind and the time of
 * the offer, and no owner until a host claims it.
 */
const EFFECTS = `
CREATE TABLE effects (
  run_no     INTEGER NOT NULL REFERENCES runs,
  key        TEXT    NOT NULL,
  owner      TEXT    NOT NULL,
  kind       TEXT,
  offered_at INTEGER,
  PRIMARY KEY (run_no, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX effects_offered ON effects (offered_at) WHERE offered_at IS NOT NULL;

CREATE TABLE late_outcomes (
  key     TEXT    NOT NULL PRIMARY KEY,
  run_id  TEXT    NOT NULL,
  outcome TEXT    NOT NULL,
  at      INTEGER NOT NULL
) STRICT;

CREATE INDEX late_outcomes_by_run ON late_outcomes (run_id);
`;

/** Answers of models that other runs of the same tenant may use. The key does not depend on the tenant. */
const MODEL_ANSWERS = `
CREATE TABLE model_answers (
  tenant    TEXT    NOT NULL,
  cache_key TEXT    NOT NULL,
  answer    TEXT    NOT NULL,
  at        INTEGER NOT NULL,
  PRIMARY KEY (tenant, cache_key)
) STRICT;
`;

/** A definition is stored once, also if several tenants register it. */
const WORKFLOWS = `
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
`;

/** A stored reply belongs to the principal who sent the request, not to the whole tenant. It is deleted after a day. */
const REPLIES = `
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
`;

/**
 * Trees that the engine was computing when the process ended unexpectedly, and held trees. The key is the number of the
 * root. There are few rows, because a tree that makes progress is removed.
 */
const TROUBLED_TREES = `
CREATE TABLE troubled_trees (
  root_no INTEGER PRIMARY KEY,
  losses  INTEGER NOT NULL,
  held_at INTEGER,
  reason  TEXT
) STRICT;

CREATE INDEX trees_held ON troubled_trees (held_at) WHERE held_at IS NOT NULL;
`;

export const runTables = [
  RUNS,
  EVENTS,
  CHECKPOINTS,
  INTERRUPTS,
  EFFECTS,
  MODEL_ANSWERS,
  WORKFLOWS,
  REPLIES,
  TROUBLED_TREES,
];
