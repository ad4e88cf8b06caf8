import Type from 'typebox';
import type { Json } from '../json.ts';
import { Count } from './numbers.ts';
import { RunLimits } from './run-limits.ts';

/** What forks record: what a branch changes, and where a replay and its source part. */

const closed = { additionalProperties: false };
const Id = Type.String({ minLength: 1 });
const Bag = Type.Unsafe<Readonly<Record<string, Json>>>({ type: 'object' });

export const DIVERGENCE_KINDS = ['output', 'missing', 'extra', 'type-mismatch'] as const;
export type DivergenceKind = (typeof DIVERGENCE_KINDS)[number];

export const ENVELOPE_KINDS = ['valid', 'refusal'] as const;
export type EnvelopeKind = (typeof ENVELOPE_KINDS)[number];

export const FORK_EVENT_PAYLOADS = {
  /** The first event that a branch adds to what it took over: what its caller changed. */
  'baton.run.branched': Type.Object(
    {
      sourceRunId: Id,
      fromSeq: Count,
      configurable: Type.Optional(Bag),
      tags: Type.Optional(Type.Array(Type.String())),
      metadata: Type.Optional(Bag),
      variables: Type.Optional(Bag),
      /** The limits from here on, where its caller asked for others. */
      limits: Type.Optional(RunLimits),
      /** Somebody with the right to do so changed values that something before the cut was granted for. */
      overridden: Type.Optional(
        Type.Object({ by: Id, runId: Id, earliestApproval: Count }, { additionalProperties: false }),
      ),
    },
    closed,
  ),
  /** A replay does something else than its source did at the same index. It goes on, and says so. */
  'replay.diverged': Type.Object(
    {
      sourceRunId: Id,
      atSequence: Count,
      originalEventId: Type.Optional(Id),
      divergenceKind: Type.Unsafe<DivergenceKind>({ enum: [...DIVERGENCE_KINDS] }),
      divergencePoint: Type.Optional(Id),
    },
    closed,
  ),
  /** A model refused where it had answered, or the reverse. The replay fails over it. */
  'replay.divergedAtRefusal': Type.Object(
    {
      sourceRunId: Id,
      atSequence: Count,
      originalEventId: Type.Optional(Id),
      nodeId: Id,
      originalEnvelopeKind: Type.Unsafe<EnvelopeKind>({ enum: [...ENVELOPE_KINDS] }),
      replayEnvelopeKind: Type.Unsafe<EnvelopeKind>({ enum: [...ENVELOPE_KINDS] }),
    },
    closed,
  ),
} as const;
