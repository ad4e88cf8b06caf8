/**
 * Webhooks and the deliveries that they wait for. `position` is the position in `events` up to which deliveries were
 * queued. A delivery stands for all waiting events of one run; `letter` is 1 for a dead letter, which is one event.
 * `next_at` is null for a dead letter that is not being redelivered.
 *
 * The trigger keeps the greatest position in use when the newest events are removed. Without it, SQLite would use the
 * position again, and a webhook that has passed it would miss the new event. The kept row belongs to no run.
 */
export const webhooks = `
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

CREATE TRIGGER events_newest_removed AFTER DELETE ON events
WHEN old.run_no <> 0 AND old.pos > coalesce((SELECT max(pos) FROM events), 0) BEGIN
  DELETE FROM events WHERE run_no = 0 AND seq = 0;
  INSERT INTO events (pos, run_no, seq, data) VALUES (old.pos, 0, 0, '');
END;
`;
