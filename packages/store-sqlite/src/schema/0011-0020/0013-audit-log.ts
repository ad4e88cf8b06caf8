/**
 * The place of a checkpoint in the audit log that the protocol defines. It is null for checkpoints of earlier
 * versions. The protocol asks for an append-only log, so the database refuses to change or delete checkpoints
 * and leaves.
 */
export const auditLog = `
ALTER TABLE audit_checkpoints ADD COLUMN sequence INTEGER;

CREATE TRIGGER audit_checkpoints_not_changed BEFORE UPDATE ON audit_checkpoints
BEGIN SELECT RAISE(ABORT, 'a signed checkpoint cannot be changed'); END;

CREATE TRIGGER audit_checkpoints_not_deleted BEFORE DELETE ON audit_checkpoints
BEGIN SELECT RAISE(ABORT, 'a signed checkpoint cannot be deleted'); END;

CREATE TRIGGER audit_leaves_not_changed BEFORE UPDATE ON audit_leaves
BEGIN SELECT RAISE(ABORT, 'a leaf of a signed checkpoint cannot be changed'); END;

CREATE TRIGGER audit_leaves_not_deleted BEFORE DELETE ON audit_leaves
BEGIN SELECT RAISE(ABORT, 'a leaf of a signed checkpoint cannot be deleted'); END;
`;
