import Type from 'typebox';
import type { Json } from '../json.ts';
import { AGENT_EVENT_PAYLOADS } from './events/agent-events.ts';
import { EFFECT_EVENT_PAYLOADS } from './events/effect-events.ts';
import { FORK_EVENT_PAYLOADS } from './events/fork-events.ts';
import { HANDOFF_EVENT_PAYLOADS } from './events/handoff-events.ts';
import { INTERRUPT_EVENT_PAYLOADS } from './events/interrupt-events.ts';
import { MEMORY_EVENT_PAYLOADS } from './events/memory-events.ts';
import { MODEL_EVENT_PAYLOADS } from './events/model-events.ts';
import { NODE_EVENT_PAYLOADS, VALUE_EVENT_PAYLOADS } from './events/node-events.ts';
import { RUN_EVENT_PAYLOADS } from './events/run-events.ts';
import { Count } from './numbers.ts';
import { Id } from './parts.ts';

/**
 * Every event type that this host writes, with the schema of its payload. The log holds no other events, and
 * the state of a run is computed only from these.
 */
export const EVENT_PAYLOADS = {
  ...RUN_EVENT_PAYLOADS,
  ...NODE_EVENT_PAYLOADS,
  ...INTERRUPT_EVENT_PAYLOADS,
  ...VALUE_EVENT_PAYLOADS,
  ...MEMORY_EVENT_PAYLOADS,
  ...FORK_EVENT_PAYLOADS,
  ...EFFECT_EVENT_PAYLOADS,
  ...MODEL_EVENT_PAYLOADS,
  ...HANDOFF_EVENT_PAYLOADS,
  ...AGENT_EVENT_PAYLOADS,
} as const;

export type EventType = keyof typeof EVENT_PAYLOADS;
export type PayloadOf<T extends EventType> = Type.Static<(typeof EVENT_PAYLOADS)[T]>;

export const EVENT_TYPES = Object.keys(EVENT_PAYLOADS) as readonly EventType[];

interface Envelope<T extends EventType> {
  readonly eventId: string;
  readonly runId: string;
  readonly sequence: number;
  readonly timestamp: string;
  readonly type: T;
  readonly nodeId?: string;
  readonly causationId?: string;
  readonly payload: PayloadOf<T>;
}

/** One event of a log, discriminated by `type`. */
export type RunEvent = { [T in EventType]: Envelope<T> }[EventType];
export type EventOf<T extends EventType> = Extract<RunEvent, { type: T }>;

/** The envelope as JSON Schema, for the API description and for checking whole events. */
export const RunEventSchema = Type.Object({
  eventId: Type.String({ minLength: 1, maxLength: 160 }),
  runId: Type.String({ minLength: 1, maxLength: 128 }),
  sequence: Count,
  timestamp: Type.String({ format: 'date-time' }),
  type: Type.Unsafe<EventType>({ enum: [...EVENT_TYPES] }),
  nodeId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  causationId: Type.Optional(Id),
  payload: Type.Unsafe<Json>({ type: 'object' }),
});
