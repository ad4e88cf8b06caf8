import Type from 'typebox';
import type { Json } from '../json.ts';
import { RUN_STATUSES, type RunStatus } from '../status.ts';

/**
 * A run as one document that says everything about it, for a person to look at and for another host to take in.
 * What other hosts may also write stands at the top; what this one adds, so that the run can be rebuilt, in `baton`.
 */

const closed = { additionalProperties: false };
const open = { additionalProperties: true };
const Bag = Type.Unsafe<Readonly<Record<string, Json>>>({ type: 'object' });
const Count = Type.Integer({ minimum: 0 });
const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Name = Type.String({ minLength: 1, maxLength: 256 });
/** As this host makes them: a root's id, and numbers for its descendants. Safe in addresses and in texts. */
const RunId = Type.String({ pattern: '^[0-9A-Za-z-]+(\\.[1-9][0-9]{0,9})*$', maxLength: 128 });
const Time = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 });

const Fork = Type.Object(
  {
    sourceRunId: RunId,
    fromSeq: Count,
    mode: Type.Unsafe<'replay' | 'branch'>({ enum: ['replay', 'branch'] }),
    models: Type.Unsafe<'recorded' | 'live'>({ enum: ['recorded', 'live'] }),
    by: Type.Optional(
      Type.Object(
        {
          principal: Type.String({ minLength: 1 }),
          scopes: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
          starters: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
        },
        closed,
      ),
    ),
    live: Type.Array(RunId),
    cutAt: Type.Optional(Time),
    origin: Type.Optional(RunId),
  },
  closed,
);

/** One run of the tree, or as much of another run as a fork in it shares. */
export const BundledRun = Type.Object(
  {
    runId: RunId,
    rootId: RunId,
    parentRunId: Type.Optional(RunId),
    parentNodeId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    /** What the run is here for. */
    part: Type.Unsafe<'tree' | 'source'>({ enum: ['tree', 'source'] }),
    principal: Name,
    workflowId: Name,
    workflowVersion: Type.Integer({ minimum: 1 }),
    status: Type.Unsafe<RunStatus>({ enum: [...RUN_STATUSES] }),
    tags: Type.Array(Name, { maxItems: 100 }),
    createdAt: Time,
    updatedAt: Time,
    role: Type.Optional(Type.Literal('critic')),
    goalMet: Type.Optional(Type.Boolean()),
    fork: Type.Optional(Fork),
    /** The run's own events; those of the bundle's own run stand at the top. */
    events: Type.Optional(Type.Array(Bag)),
    /** Where each own event stands in the order in which everything happened. */
    places: Type.Array(Count),
    /** Which of them begin a step, by their index; nothing for logs that do not say. */
    steps: Type.Optional(Type.Array(Count)),
    /** The link of the hash chain after the last event; nothing for logs without a chain. */
    chain: Type.Optional(Digest),
    /** Links after events in which something was masked, as they no longer follow from the text. */
    masked: Type.Optional(Type.Array(Type.Object({ sequence: Count, link: Digest }, closed))),
  },
  closed,
);
export type BundledRun = Type.Static<typeof BundledRun>;

export const BundledEntry = Type.Object(
  {
    version: Type.Integer({ minimum: 1 }),
    ended: Type.Optional(Type.Integer({ minimum: 1 })),
    deleted: Type.Boolean(),
    revision: Count,
    id: Type.String({ minLength: 1, maxLength: 1024 }),
    content: Type.String(),
    tags: Type.Array(Type.String({ minLength: 1 })),
    createdAt: Time,
    expiresAt: Type.Optional(Time),
    contentType: Type.Optional(Type.String()),
    by: Type.Object(
      {
        runId: Type.Optional(Type.String()),
        nodeId: Type.Optional(Type.String()),
        agentId: Type.Optional(Type.String()),
      },
      closed,
    ),
  },
  closed,
);
export type BundledEntry = Type.Static<typeof BundledEntry>;

/** What a memory scope held, version by version, as far as the tree has seen it. */
export const BundledScope = Type.Object(
  { scope: Type.String({ minLength: 1, maxLength: 512 }), version: Count, entries: Type.Array(BundledEntry) },
  closed,
);
export type BundledScope = Type.Static<typeof BundledScope>;

export const BundledTree = Type.Object(
  {
    format: Type.Literal(1),
    /** The exact status, where the one at the top has no word for it. */
    status: Type.Unsafe<RunStatus>({ enum: [...RUN_STATUSES] }),
    runs: Type.Array(BundledRun, { minItems: 1 }),
    /** By digest. */
    definitions: Type.Record(Digest, Bag),
    memory: Type.Array(BundledScope),
  },
  closed,
);
export type BundledTree = Type.Static<typeof BundledTree>;

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
  },
  open,
);
export type DebugBundle = Type.Static<typeof DebugBundle>;
