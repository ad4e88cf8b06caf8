import Type from 'typebox';
import { OutputChunk } from '../schemas/events/effect-events.ts';
import { type RunEvent, RunEventSchema } from '../schemas/events.ts';
import { RunSnapshot } from '../schemas/run.ts';
import { json, LastSequence, QueryCount, type Routes, RunParams } from './contract.ts';

/** The log of a run: as a stream, as a document, and by polling. */

/** What a stream shows: every event, only the messages of agents, or the state after each change. */
export const STREAM_MODES = ['updates', 'values', 'messages', 'debug'] as const;
export type StreamMode = (typeof STREAM_MODES)[number];

/** The data of a frame, by the name of the frame. All other frames have the type of their event as name. */
export const STREAM_FRAMES = {
  'ai.message.chunk': OutputChunk,
  event: RunEventSchema,
  batch: Type.Array(RunEventSchema, { minItems: 1 }),
  values: RunSnapshot,
  'tree.event': Type.Object({
    runId: Type.String({ description: 'The run of the tree. The first events of a fork name its source.' }),
    place: Type.Integer({ minimum: 1 }),
    event: RunEventSchema,
  }),
  'tree.ended': Type.Object({}),
} as const;

/** An event of a run or of one of its descendants, with its place in the order in which they happened. */
export interface EventOfTree {
  readonly runId: string;
  readonly place: number;
  readonly event: RunEvent;
}

const Events = Type.Array(RunEventSchema);

export const EVENT_CONTRACTS = {
  readEvents: {
    method: 'GET',
    path: '/v1/runs/{runId}/events',
    access: 'runs:read',
    idempotent: 'always',
    tag: 'events',
    summary: 'The log of a run, as server-sent events or as JSON',
    params: RunParams,
    query: Type.Object({
      streamMode: Type.Optional(
        Type.String({ description: `Any of ${STREAM_MODES.join(', ')}, separated by commas` }),
      ),
      bufferMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 5000 })),
      lastEventId: Type.Optional(LastSequence),
    }),
    headers: Type.Object({
      accept: Type.Optional(
        Type.String({ description: '`application/json` for the log as a document instead of a stream' }),
      ),
      'last-event-id': Type.Optional(
        Type.String({
          description: 'The sequence of the last event that the reader has, instead of `lastEventId`',
        }),
      ),
    }),
    responses: {
      200: {
        description: 'The log; a stream goes on until the run has ended',
        content: {
          'application/json': Type.Object({ events: Events }),
          'text/event-stream': Type.String({
            description:
              'One frame for each event, with its type as the name, its sequence as the id and the event as the data. ' +
              'With `bufferMs` frames named `batch` hold several events; with `streamMode=values` frames named ' +
              '`values` hold the snapshot of the run; with `streamMode=messages` frames named `ai.message.chunk`, ' +
              'without an id, hold parts of texts before they are recorded.',
          }),
        },
      },
    },
    refusals: ['unsupported_stream_mode', 'run_unreadable'],
  },
  pollEvents: {
    method: 'GET',
    path: '/v1/runs/{runId}/events/poll',
    access: 'runs:read',
    idempotent: 'always',
    tag: 'events',
    summary: 'Events after a sequence, waiting a while for the next one',
    params: RunParams,
    query: Type.Object({
      lastSequence: Type.Optional(LastSequence),
      timeout: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 30, description: 'Seconds to wait for events' }),
      ),
    }),
    responses: { 200: json(Type.Object({ events: Events, isComplete: Type.Boolean() })) },
    refusals: [],
  },
  readTreeEvents: {
    method: 'GET',
    path: '/v1/runs/{runId}/tree/events',
    access: 'runs:read',
    idempotent: 'always',
    tag: 'events',
    summary: 'The logs of a run and all its descendants, as one stream of server-sent events',
    description:
      'The events come in the order in which they happened. A frame named `tree.ended` says that no more will come; ' +
      'a stream that ends without it was broken off.',
    params: RunParams,
    query: Type.Object({
      streamMode: Type.Optional(
        Type.String({ description: '`updates`, or `updates,messages` for parts of texts as they arrive' }),
      ),
      lastEventId: Type.Optional(
        Type.Integer({ ...QueryCount, description: 'The place of the last event that the reader has' }),
      ),
    }),
    headers: Type.Object({
      'last-event-id': Type.Optional(Type.String({ description: 'The same, instead of `lastEventId`' })),
    }),
    responses: {
      200: {
        description: 'The events; the stream goes on until the run and its descendants have ended',
        content: {
          'text/event-stream': Type.String({
            description:
              'One frame named `tree.event` for each event, with its place in the tree as the id. Frames named ' +
              '`ai.message.chunk`, without an id, hold parts of texts before they are recorded.',
          }),
        },
      },
    },
    refusals: ['unsupported_stream_mode', 'run_unreadable'],
  },
} as const satisfies Routes;
