/**
 * Webhooks and the deliveries that they wait for. `position` is the position in `events` up to which deliveries were
 * queued. A delivery stands for all waiting events of one run; `letter` is 1 for a dead letter, which is one event.
 * `next_at` is null for a dead letter that is not being redelivered.
 */
const WEBHOOKS = `
CREATE TABLE webhooks (
  webhook_no    INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id    TEXT    NOT NULL UNIQUE,
  tenant        TEXT    NOT NULL,
  principal     TEXT    NOT NULL,
  url           TEXT    NOT NULL,
  events        TEXT    NOT NULL,
  workflows     TEXT    NOT NULL,
  tags          TEXT    NOT NULL,
  state         TEXT    NOT NULL,
  reason        TEXT,
  keys          TEXT    NOT NULL,
  fingerprint   TEXT    NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  failing_since INTEGER,
  position      INTEGER NOT NULL
) STRICT;

CREATE INDEX webhooks_by_tenant ON webhooks (tenant, webhook_id);

CREATE TABLE webhook_deliveries (
  delivery_no   INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_no    INTEGER NOT NULL,
  run_no        INTEGER NOT NULL,
  next_seq      INTEGER NOT NULL,
  last_seq      INTEGER NOT NULL,
  tries         INTEGER NOT NULL,
  failing_since INTEGER,
  next_at       INTEGER,
  error         TEXT,
  letter        INTEGER NOT NULL,
  died_at       INTEGER
) STRICT;

CREATE UNIQUE INDEX deliveries_of_run ON webhook_deliveries (webhook_no, run_no) WHERE letter = 0;
CREATE INDEX deliveries_due ON webhook_deliveries (webhook_no, next_at, run_no, next_seq) WHERE next_at IS NOT NULL;
CREATE INDEX deliveries_listed ON webhook_deliveries (webhook_no, letter, delivery_no);
`;

/**
 * The id by which other hosts know this one, kept in every copy of the database, and the hosts that the operator knows.
 * `tls` and `certificates` say as JSON how this host and a peer know each other by certificates.
 */
const PEERS = `
CREATE TABLE host (
  id TEXT NOT NULL
) STRICT;

INSERT INTO host (id) VALUES ('host-' || lower(hex(randomblob(8))));

CREATE TABLE peers (
  name         TEXT    NOT NULL PRIMARY KEY,
  url          TEXT    NOT NULL,
  kind         TEXT    NOT NULL,
  host_id      TEXT    UNIQUE,
  audit_key    TEXT,
  secret       TEXT,
  tenant       TEXT    NOT NULL,
  publishes    TEXT    NOT NULL,
  created_at   INTEGER NOT NULL,
  tls          TEXT,
  certificates TEXT
) STRICT;
`;

/**
 * Work on other hosts that has to be cancelled there, because its run has ended here. A cancel that was never told is
 * removed with the log of its run.
 */
const REMOTE_CANCELS = `
CREATE TABLE remote_cancels (
  run_id     TEXT    NOT NULL PRIMARY KEY,
  peer       TEXT    NOT NULL,
  task       TEXT    NOT NULL,
  named_by   TEXT    NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER cancel_of_purged_log AFTER UPDATE OF purged_at ON runs
WHEN new.purged_at IS NOT NULL BEGIN
  DELETE FROM remote_cancels WHERE run_id = new.run_id;
END;
`;

/** Addresses to which the states of A2A tasks are sent. They are removed with the log of their run. */
const TASK_PUSHES = `
CREATE TABLE task_pushes (
  tenant        TEXT    NOT NULL,
  run_id        TEXT    NOT NULL,
  push_id       TEXT    NOT NULL,
  url           TEXT    NOT NULL,
  credentials   TEXT    NOT NULL,
  version       TEXT    NOT NULL,
  created_at    INTEGER NOT NULL,
  told          TEXT,
  tries         INTEGER NOT NULL,
  failing_since INTEGER,
  next_at       INTEGER,
  PRIMARY KEY (tenant, run_id, push_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER pushes_of_removed_log AFTER UPDATE OF purged_at, erased_at ON runs
WHEN new.purged_at IS NOT NULL OR new.erased_at IS NOT NULL BEGIN
  DELETE FROM task_pushes WHERE tenant = new.tenant AND run_id = new.run_id;
END;
`;

export const outgoingTables = [WEBHOOKS, PEERS, REMOTE_CANCELS, TASK_PUSHES];
