import Type from 'typebox';
import type { SuspendRequest } from '../interrupt.ts';
import { Count, Milliseconds, Ordinal } from '../numbers.ts';
import { AgentId, Any, Bag, closed, ErrorObject, Id } from '../parts.ts';
import { MemoryLayer } from './memory-events.ts';

/** Events of one node of a run: its attempts, waits and results. */

/** The inputs of a supervisor's turn, as references from which all of them can be read again. */
export const TurnInputs = Type.Object(
  {
    memory: Type.Optional(MemoryLayer),
    workspace: Type.Optional(MemoryLayer),
    transcript: Type.Object({ from: Count, to: Count }, closed),
    /** Workers that gave up, or whose outputs a critic turned down, and that have not done better since. */
    goalsNotMet: Type.Optional(Type.Array(Id)),
  },
  closed,
);
export type TurnInputs = Type.Static<typeof TurnInputs>;

export const NODE_EVENT_PAYLOADS = {
  'node.started': Type.Object(
    {
      nodeId: Id,
      typeId: Id,
      attempt: Ordinal,
      waitMs: Type.Optional(Milliseconds),
      timeoutMs: Type.Optional(Milliseconds),
      /** The worker of a sub-workflow whose outputs pass a gate. */
      handsTo: Type.Optional(Id),
      /** The inputs of a supervisor's turn. */
      turn: Type.Optional(TurnInputs),
    },
    closed,
  ),
  'node.completed': Type.Object({ nodeId: Id, outputs: Type.Optional(Bag) }, closed),
  'node.failed': Type.Object({ nodeId: Id, error: ErrorObject, attempts: Type.Optional(Ordinal) }, closed),
  'node.retried': Type.Object(
    { nodeId: Id, attempt: Ordinal, delayMs: Milliseconds, lastError: ErrorObject },
    closed,
  ),
  'node.skipped': Type.Object({ nodeId: Id, reason: Type.Optional(Type.String()) }, closed),
  'node.cancelled': Type.Object({ nodeId: Id, reason: Type.Optional(Type.String()) }, closed),
  'node.suspended': Type.Object(
    {
      nodeId: Id,
      interruptId: Id,
      kind: Type.Unsafe<SuspendRequest['kind']>({ type: 'string' }),
      key: Id,
      reason: Type.Optional(Type.String()),
      agentId: Type.Optional(AgentId),
      threshold: Type.Optional(Type.Number()),
      observed: Type.Optional(Type.Number()),
    },
    closed,
  ),
  'node.resumed': Type.Object({ nodeId: Id, interruptId: Id }, closed),
  'node.dispatched': Type.Object({ childRunId: Id, childWorkflowId: Id }, closed),
} as const;

/** Events that change the variables and channels of a run. */

export const VALUE_EVENT_PAYLOADS = {
  'channel.written': Type.Object(
    {
      channel: Type.String({ minLength: 1, maxLength: 256 }),
      value: Any,
      reducer: Type.String(),
      nodeId: Type.Optional(Id),
      writtenAt: Type.String({ format: 'date-time' }),
    },
    closed,
  ),
  /** Entries were removed from a channel because of its age or size limit. The newest `keep` entries stay. */
  'baton.channel.trimmed': Type.Object({ channel: Id, keep: Count }, closed),
  'variable.changed': Type.Object({ name: Id, next: Type.Optional(Any), nodeId: Type.Optional(Id) }, closed),
} as const;
