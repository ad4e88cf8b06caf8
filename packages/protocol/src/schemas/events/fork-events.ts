import Type from 'typebox';
import { Count } from '../numbers.ts';
import { Bag, closed, Id } from '../parts.ts';
import { RunLimits } from '../run-limits.ts';

/** Events of forks: the changes of a branch, and the first difference between a replay and its source. */

export const DIVERGENCE_KINDS = ['output', 'missing', 'extra', 'type-mismatch'] as const;
export type DivergenceKind = (typeof DIVERGENCE_KINDS)[number];

export const ENVELOPE_KINDS = ['valid', 'refusal'] as const;
export type EnvelopeKind = (typeof ENVELOPE_KINDS)[number];

export const FORK_EVENT_PAYLOADS = {
  /** The first own event of a branch. It records what the caller changed. */
  'baton.run.branched': Type.Object(
    {
      sourceRunId: Id,
      fromSeq: Count,
      configurable: Type.Optional(Bag),
      tags: Type.Optional(Type.Array(Type.String())),
      metadata: Type.Optional(Bag),
      variables: Type.Optional(Bag),
      /** The new limits, if the caller asked for other limits. */
      limits: Type.Optional(RunLimits),
      /** A caller with `approvals:override` changed values that were approved before the cut. */
      overridden: Type.Optional(
        Type.Object({ by: Id, runId: Id, earliestApproval: Count }, { additionalProperties: false }),
      ),
    },
    closed,
  ),
  /** A replay did something else than its source at the same index. The replay goes on. */
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
  /** A model refused a request that it had answered in the source, or the reverse. The replay fails. */
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
