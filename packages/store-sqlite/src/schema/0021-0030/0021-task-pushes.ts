/** Addresses to which the states of A2A tasks are sent. They are removed with the log of their run. */
export const taskPushes = `
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
