/** The number of the newest signed checkpoint, with which an audit notices removed checkpoints. */
export const newestCheckpoint = `
ALTER TABLE audit_progress ADD COLUMN newest INTEGER NOT NULL DEFAULT 0;
UPDATE audit_progress SET newest = max(
  coalesce((SELECT max(number) FROM audit_checkpoints), 0),
  coalesce((SELECT max(checkpoint) FROM audit_leaves), 0)
);
`;
