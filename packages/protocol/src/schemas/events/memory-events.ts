import Type from 'typebox';
import { LATEST_TIME } from '../../time.ts';
import { Count, Ordinal } from '../numbers.ts';
import { AgentId, closed, Id } from '../parts.ts';

/** Events about memory and files: what was written, by which node and agent, and which version it made. */

const Time = Type.Integer({ minimum: -LATEST_TIME, maximum: LATEST_TIME });

/**
 * A memory scope, and how much of it is seen: everything up to a version. `at` is the time at which expiry is
 * judged where that is not the present: what a fork inherits is as it was at the cut. With `since`, time goes on from
 * there: at that moment the clock of whoever reads showed `since`.
 */
export const MemoryLayer = Type.Object(
  {
    scope: Id,
    version: Count,
    at: Type.Optional(Time),
    since: Type.Optional(Time),
  },
  closed,
);
export type MemoryLayer = Type.Static<typeof MemoryLayer>;

export const MEMORY_EVENT_PAYLOADS = {
  /** A write, without the content. `version` is the new version of the memory scope. */
  'memory.written': Type.Object(
    {
      memoryRef: Id,
      memoryId: Id,
      nodeId: Type.Optional(Id),
      agentId: Type.Optional(AgentId),
      tags: Type.Optional(Type.Array(Type.String())),
      version: Ordinal,
      expiresAt: Type.Optional(Type.String({ format: 'date-time' })),
    },
    closed,
  ),
  'baton.memory.forgotten': Type.Object(
    { memoryRef: Id, memoryId: Id, nodeId: Type.Optional(Id), version: Ordinal },
    closed,
  ),
  /** The entries of a child's memory scope, up to `upTo`, were added to the parent as one version. */
  'baton.memory.carried': Type.Object(
    {
      memoryRef: Id,
      from: Id,
      upTo: Ordinal,
      /** Layers with the entries that the child wrote before it was forked. They are carried first. */
      below: Type.Optional(Type.Array(MemoryLayer)),
      childRunId: Id,
      version: Ordinal,
    },
    closed,
  ),
  /** Other runs wrote to a shared memory scope. From this event on the run sees it up to `version`. */
  'baton.memory.seen': Type.Object({ memoryRef: Id, version: Ordinal }, closed),
  /** A replay has passed the end of its source's log. From now on it writes to its own memory scope. */
  'baton.memory.branched': Type.Object({ memoryRef: Id }, closed),
  'workspace.updated': Type.Object({ path: Id, version: Ordinal }, closed),
} as const;
