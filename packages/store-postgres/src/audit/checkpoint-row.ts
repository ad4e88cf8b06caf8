import type { SignedCheckpoint } from '@baton/engine/ports';

export interface CheckpointRow extends Omit<SignedCheckpoint, 'sequence'> {
  readonly sequence: number | null;
}

export const CHECKPOINT_COLUMNS = 'number, at, digest, key_id AS "keyId", signature, sequence';

export const NEWEST_CHECKPOINT = `
  SELECT ${CHECKPOINT_COLUMNS} FROM audit_checkpoints ORDER BY number DESC LIMIT 1`;

export function toCheckpoint(row: CheckpointRow): SignedCheckpoint {
  const { number, at, digest, keyId, signature, sequence } = row;
  return { number, at, digest, keyId, signature, ...(sequence !== null && { sequence }) };
}
