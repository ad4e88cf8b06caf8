/**
 * Work on other hosts that has to be cancelled there, because its run has ended here. A cancel that was never told is
 * removed with the log of its run.
 */
export const remoteCancels = `
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
