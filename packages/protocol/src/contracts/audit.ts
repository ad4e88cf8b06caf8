import Type, { type Static } from 'typebox';
import { json, QueryCount, type Routes } from './contract.ts';

/** Audits of the stored logs. */

/** The kinds of problems that an audit can find. */
export const FINDING_KINDS = [
  'event-changed',
  'event-missing',
  'event-inserted',
  'event-reordered',
  'log-truncated',
  'link-changed',
  'erasure-changed',
  'checkpoint-missing',
  'checkpoint-changed',
  'signature-invalid',
  'key-unknown',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

const Count = Type.Integer({ minimum: 0 });

const Finding = Type.Object({
  what: Type.Unsafe<FindingKind>({ enum: [...FINDING_KINDS] }),
  runId: Type.Optional(Type.String()),
  from: Type.Optional(
    Type.Integer({ description: 'Sequence of the first event that the finding may concern' }),
  ),
  to: Type.Optional(Type.Integer({ description: 'Sequence of the last event that the finding may concern' })),
  checkpoint: Type.Optional(Type.Integer()),
  message: Type.String(),
});

const closed = { additionalProperties: false } as const;

/**
 * The answer that the protocol defines. Every checkpoint anchors the one entry with the same sequence, so its
 * Merkle root is the hash of this entry.
 */
const AuditLogReport = Type.Object(
  {
    fromSeq: Count,
    toSeq: Count,
    chainValid: Type.Boolean({ description: 'There are no anomalies' }),
    checkpointsValid: Type.Boolean({
      description: 'The signatures of all checkpoints in the range are valid',
    }),
    checkpoints: Type.Array(
      Type.Object(
        {
          checkpoint: Type.String({ minLength: 1, maxLength: 256 }),
          atSequence: Count,
          merkleRoot: Type.String({ minLength: 1, description: 'Lowercase hex' }),
          signature: Type.String({
            minLength: 1,
            description: 'Ed25519 over the 32 bytes of the Merkle root, as base64',
          }),
        },
        closed,
      ),
    ),
    anomalies: Type.Array(
      Type.Object(
        {
          atSeq: Type.Integer({
            minimum: 0,
            description: 'The entry that is missing, changed or not signed',
          }),
          expectedPrevHash: Type.String({
            minLength: 1,
            description: 'The hash of the entry before; 64 zeros when there is none',
          }),
          actualPrevHash: Type.String({
            description: 'Equal to the expected hash when only the signature is invalid; otherwise empty',
          }),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type AuditLogReport = Static<typeof AuditLogReport>;

const AuditReport = Type.Object({
  ok: Type.Boolean({ description: 'This answer has no findings; later pages may have some' }),
  findings: Type.Array(Finding),
  checked: Type.Object({
    checkpoints: Count,
    runs: Count,
    events: Count,
    unchained: Count,
    unsigned: Count,
    purged: Count,
  }),
  keyId: Type.String(),
  nextCursor: Type.Optional(Type.String()),
});

export const AUDIT_CONTRACTS = {
  verifyAudit: {
    method: 'GET',
    path: '/v1/audit/verify',
    access: 'audit:read',
    idempotent: 'always',
    tag: 'audit',
    summary: 'Check that the stored logs were not changed after they were written',
    description:
      'Checks the signed checkpoints of the host, then the runs of the caller’s tenant in the order they ' +
      'were made. Follow `nextCursor` until an answer has none. With `fromSeq` and `toSeq`, checks these ' +
      'entries of the audit log instead, and answers as the profile `openwop-audit-log-integrity` says. The ' +
      'entries are the signed checkpoints of the host, so this answer names no run.',
    query: Type.Object({
      runId: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'Only this run' })),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1000, description: 'Checkpoints or runs in one answer' }),
      ),
      cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      fromSeq: Type.Optional(
        Type.Integer({ ...QueryCount, description: 'First entry of the audit log; only with `toSeq`' }),
      ),
      toSeq: Type.Optional(
        Type.Integer({ ...QueryCount, description: 'Last entry of the audit log; only with `fromSeq`' }),
      ),
    }),
    responses: {
      200: json(Type.Union([AuditReport, AuditLogReport])),
    },
    refusals: ['not_found'],
  },
  readAuditKey: {
    method: 'GET',
    path: '/v1/audit/key',
    access: 'audit:read',
    idempotent: 'always',
    tag: 'audit',
    summary: 'The public key that verifies the signatures of this host',
    responses: {
      200: json(
        Type.Object({
          keyId: Type.String(),
          algorithm: Type.Literal('Ed25519'),
          publicKey: Type.String({ description: 'SPKI as PEM' }),
        }),
      ),
    },
    refusals: [],
  },
} as const satisfies Routes;
