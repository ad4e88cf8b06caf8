import Type from 'typebox';
import { Imported } from '../schemas/run.ts';
import { json, type RouteContract } from './contract.ts';

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

const verifyAudit = {
  method: 'GET',
  path: '/v1/audit/verify',
  access: 'audit:read',
  idempotent: 'always',
  tag: 'audit',
  summary: 'Check that the stored logs were not changed after they were written',
  description:
    'Checks the signed checkpoints of the host, then the runs of the caller’s tenant in the order they ' +
    'were made. Follow `nextCursor` until an answer has none.',
  query: Type.Object({
    runId: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'Only this run' })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'Checkpoints or runs in one answer' }),
    ),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  }),
  responses: {
    200: json(
      Type.Object({
        ok: Type.Boolean({ description: 'This answer has no findings; later pages may have some' }),
        findings: Type.Array(Finding),
        checked: Type.Object({
          checkpoints: Count,
          runs: Count,
          events: Count,
          unchained: Count,
          unsigned: Count,
          purged: Count,
          imported: Count,
          unvouched: Count,
        }),
        keyId: Type.String(),
        imported: Type.Optional(Imported),
        nextCursor: Type.Optional(Type.String()),
      }),
    ),
  },
  refusals: ['not_found'],
} as const satisfies RouteContract;

const readAuditKey = {
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
} as const satisfies RouteContract;

export const AUDIT_CONTRACTS = { verifyAudit, readAuditKey } as const;
