import Type from 'typebox';
import { RUN_STATUSES, type RunStatus } from '../status.ts';
import { Count, LARGEST_VERSION, Time, Version } from './numbers.ts';
import { Bag, Checksum, closed } from './parts.ts';

/**
 * A run as one document, for a person to read and for `baton open` to show. The fields of the protocol are
 * at the top. The fields that Baton adds, so that the run can be rebuilt, are in `baton`.
 */

const open = { additionalProperties: true };
/** A count of versions; 0 before the first one. */
const Revision = Type.Integer({ minimum: 0, maximum: LARGEST_VERSION });
const Name = Type.String({ minLength: 1, maxLength: 256 });
/** Descendants add numbers to the id of the root. */
const RunId = Type.String({
  pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\\.[1-9][0-9]{0,9})*$',
  maxLength: 128,
});
export const MAX_BUNDLED_RUNS = 5000;

const Author = Type.String({ maxLength: 256 });

const Fork = Type.Object(
  {
    sourceRunId: RunId,
    fromSeq: Count,
    mode: Type.Unsafe<'replay' | 'branch'>({ enum: ['replay', 'branch'] }),
    models: Type.Unsafe<'recorded' | 'live'>({ enum: ['recorded', 'live'] }),
    by: Type.Optional(
      Type.Object(
        {
          principal: Name,
          scopes: Type.Optional(Type.Array(Name, { maxItems: 100 })),
          starters: Type.Optional(Type.Array(Name, { maxItems: 10_000 })),
        },
        closed,
      ),
    ),
    live: Type.Array(RunId, { maxItems: MAX_BUNDLED_RUNS }),
    cutAt: Type.Optional(Time),
    origin: Type.Optional(RunId),
  },
  closed,
);

/** One run of the tree, or the events of another run that a fork in the tree begins with. */
export const BundledRun = Type.Object(
  {
    runId: RunId,
    rootId: RunId,
    parentRunId: Type.Optional(RunId),
    parentNodeId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    /** `tree`: the run belongs to the tree. `source`: a fork in the tree begins with events of the run. */
    part: Type.Unsafe<'tree' | 'source'>({ enum: ['tree', 'source'] }),
    principal: Name,
    workflowId: Name,
    workflowVersion: Version,
    status: Type.Unsafe<RunStatus>({ enum: [...RUN_STATUSES] }),
    tags: Type.Array(Name, { maxItems: 100 }),
    createdAt: Time,
    updatedAt: Time,
    role: Type.Optional(Type.Literal('critic')),
    goalMet: Type.Optional(Type.Boolean()),
    fork: Type.Optional(Fork),
    /** The events of this run. Absent for the run that was exported: its events are at the top. */
    events: Type.Optional(Type.Array(Bag)),
    /** The position of each event in the order of all events of the bundle. */
    places: Type.Array(Count),
    /** The indexes of the events that begin a step. Absent for old logs, which do not record it. */
    steps: Type.Optional(Type.Array(Count)),
    /** The link of the hash chain after the last event. Absent for logs without a hash chain. */
    chain: Type.Optional(Checksum),
    /** The links after masked events, because they cannot be computed from the masked text. */
    masked: Type.Optional(Type.Array(Type.Object({ sequence: Count, link: Checksum }, closed))),
  },
  closed,
);
export type BundledRun = Type.Static<typeof BundledRun>;

export const BundledEntry = Type.Object(
  {
    version: Version,
    ended: Type.Optional(Version),
    deleted: Type.Boolean(),
    revision: Revision,
    id: Type.String({ minLength: 1, maxLength: 1024 }),
    content: Type.String(),
    tags: Type.Array(Name, { maxItems: 32 }),
    createdAt: Time,
    expiresAt: Type.Optional(Time),
    contentType: Type.Optional(Type.String({ maxLength: 128 })),
    by: Type.Object(
      {
        runId: Type.Optional(Author),
        nodeId: Type.Optional(Author),
        agentId: Type.Optional(Author),
      },
      closed,
    ),
  },
  closed,
);
export type BundledEntry = Type.Static<typeof BundledEntry>;

/** A memory scope with all its versions, up to the newest version that the tree has seen. */
export const BundledScope = Type.Object(
  {
    scope: Type.String({ minLength: 1, maxLength: 512 }),
    version: Revision,
    entries: Type.Array(BundledEntry),
  },
  closed,
);
export type BundledScope = Type.Static<typeof BundledScope>;

export const BundledTree = Type.Object(
  {
    format: Type.Literal(1),
    /** The exact status. The `status` at the top has fewer values. */
    status: Type.Unsafe<RunStatus>({ enum: [...RUN_STATUSES] }),
    runs: Type.Array(BundledRun, { minItems: 1, maxItems: MAX_BUNDLED_RUNS }),
    /** By digest. */
    definitions: Type.Record(Checksum, Bag),
    memory: Type.Array(BundledScope),
  },
  closed,
);
export type BundledTree = Type.Static<typeof BundledTree>;

/** A signature over `baton` and the events, made with the audit key of the host that wrote the bundle. */
export const BundleProof = Type.Object(
  {
    keyId: Type.String({ minLength: 1, maxLength: 64 }),
    signature: Type.String({ minLength: 1, maxLength: 256 }),
  },
  closed,
);
export type BundleProof = Type.Static<typeof BundleProof>;

/** Why a bundle does not hold the whole tree. */
export const TRUNCATED = {
  tooLarge: 'events_truncated_to_size_cap',
  erased: 'run_erased_during_export',
} as const;

export const DebugBundle = Type.Object(
  {
    bundleVersion: Type.String({ pattern: '^1\\.[0-9]+$' }),
    generatedAt: Type.String({ format: 'date-time' }),
    host: Type.Object({ name: Name, version: Name, vendor: Type.Optional(Type.String()) }, open),
    run: Type.Object({ runId: RunId, workflowId: Name, status: Type.String() }, open),
    events: Type.Array(Bag),
    spans: Type.Optional(Type.Array(Bag)),
    metrics: Type.Optional(Bag),
    redactionApplied: Type.Boolean(),
    redactionMode: Type.Unsafe<'mask'>({ enum: ['mask', 'omit', 'hash', 'passthrough'] }),
    truncated: Type.Optional(Type.Boolean()),
    truncatedReason: Type.Optional(Type.String()),
    baton: Type.Optional(BundledTree),
    batonProof: Type.Optional(BundleProof),
  },
  open,
);
export type DebugBundle = Type.Static<typeof DebugBundle>;
