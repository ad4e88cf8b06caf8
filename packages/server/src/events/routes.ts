import { BatonError, CONTRACTS, isTerminal, rootRunId, STREAM_MODES, type StreamMode } from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { identityOf } from '../auth/bearer.ts';
import { bind, type RequestTo } from '../http/bind.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { runOf } from '../runs/run-of.ts';
import { followRun } from './follow.ts';
import { chunkFrame, endsRun } from './frames.ts';
import { sendLog } from './send-log.ts';
import { logFrames, valueFrames } from './sources.ts';
import { isOfTree, treeLog } from './tree-log.ts';
import { waitForRun } from './wait.ts';

/** A run's log: as a stream, as a document, and by asking again and again. */

type EventsRequest = RequestTo<typeof CONTRACTS.readEvents>;
type TreeRequest = RequestTo<typeof CONTRACTS.readTreeEvents>;
type PollRequest = RequestTo<typeof CONTRACTS.pollEvents>;

export const eventRoutes: Routes = (app, host) => {
  bind(app, CONTRACTS.readEvents, (request, reply) => sendEvents(host, request, reply));

  bind(app, CONTRACTS.readTreeEvents, (request, reply) => sendTreeEvents(host, request, reply));

  bind(app, CONTRACTS.pollEvents, (request, reply) => pollEvents(host, request, reply));
};

async function sendEvents(host: HostContext, request: EventsRequest, reply: FastifyReply): Promise<void> {
  const { streamMode, bufferMs = 0 } = request.query;
  const view = streamView(streamMode);
  const identity = identityOf(request);
  const run = { tenant: identity.tenant, runId: request.params.runId };
  const from = lastEventId(request) + 1;
  if (wantsJson(request)) return sendLog(host, reply, await runOf(host, run), from, ']}');
  const next =
    view.kind === 'values'
      ? valueFrames(host, run.runId, identity)
      : logFrames(host, run, { from, batched: bufferMs > 0, shows: view.shows });
  const isLive = view.kind === 'events' && view.live;
  return followRun(host, reply, run, {
    next,
    bufferMs,
    ...(isLive && {
      unlogged: (send) => host.live.watch(run.runId, (chunk) => send(chunkFrame(chunk))),
    }),
  });
}

async function pollEvents(host: HostContext, request: PollRequest, reply: FastifyReply): Promise<void> {
  const { lastSequence = -1, timeout = 0 } = request.query;
  const { tenant } = identityOf(request);
  const run = await runOf(host, { tenant, runId: request.params.runId });
  const hasNews = run.head - 1 > lastSequence || isTerminal(run.status);
  if (!hasNews && timeout > 0) {
    await waitForRun(host, reply.raw, run, timeout * 1000, (progress) => {
      return progress.lastSequence > lastSequence || isTerminal(progress.status);
    });
  }
  const latest = hasNews ? run : await runOf(host, run);
  await sendLog(host, reply, latest, lastSequence + 1, `],"isComplete":${isTerminal(latest.status)}}`);
}

async function sendTreeEvents(host: HostContext, request: TreeRequest, reply: FastifyReply): Promise<void> {
  const view = streamView(request.query.streamMode);
  if (view.kind === 'values' || view.shows !== undefined) {
    throw new BatonError(
      'unsupported_stream_mode',
      'A tree is streamed as updates, with or without messages.',
      {
        supported: ['updates', 'updates,messages'],
      },
    );
  }
  const run = { tenant: identityOf(request).tenant, runId: request.params.runId };
  const { next, watch } = await treeLog(host, run, Math.max(0, lastEventId(request)));
  return followRun(host, reply, run, {
    next,
    watch,
    bufferMs: 0,
    ...(view.live && {
      unlogged: (send) =>
        host.live.watchTree(rootRunId(run.runId), (chunk) => {
          if (isOfTree(chunk.runId, run.runId)) send(chunkFrame(chunk));
        }),
    }),
  });
}

function wantsJson(request: FastifyRequest): boolean {
  const { accept = '' } = request.headers;
  return accept.includes('application/json') && !accept.includes('text/event-stream');
}

/** Where the reader left off. The header is what browsers send by themselves, so it wins. */
function lastEventId(request: EventsRequest | TreeRequest): number {
  const header = request.headers['last-event-id'];
  if (header === undefined || header === '') return request.query.lastEventId ?? -1;
  const sequence = typeof header === 'string' && /^(-1|\d{1,16})$/.test(header) ? Number(header) : Number.NaN;
  if (Number.isSafeInteger(sequence)) return sequence;
  throw new BatonError('validation_error', 'Last-Event-ID must be the sequence of an event, or -1.', {
    field: 'Last-Event-ID',
  });
}

type StreamView =
  | { readonly kind: 'values' }
  | {
      readonly kind: 'events';
      /** No filter means every event. */
      readonly shows?: (type: string) => boolean;
      /** Parts of texts are sent too, as they arrive. */
      readonly live: boolean;
    };

const EVERYTHING: StreamView = { kind: 'events', live: false };

export function streamView(requested: string | undefined): StreamView {
  if (requested === undefined || requested === 'updates') return EVERYTHING;
  const modes = requested.split(',').map((mode) => mode.trim());
  for (const mode of modes) {
    if (!isStreamMode(mode)) throw unsupported(`"${mode}" is not a stream mode.`);
  }
  if (modes.includes('values')) {
    if (modes.length > 1) throw unsupported('"values" cannot be combined with other stream modes.');
    return { kind: 'values' };
  }
  if (!modes.includes('messages')) return EVERYTHING;
  const isOnly = modes.every((mode) => mode === 'messages');
  return { kind: 'events', live: true, ...(isOnly && { shows: isMessage }) };
}

/** The event that ends the run is always shown, so that a reader of messages knows that no more will come. */
function isMessage(type: string): boolean {
  return type.startsWith('agent.') || type.startsWith('ai.') || endsRun(type);
}

function isStreamMode(mode: string): mode is StreamMode {
  return (STREAM_MODES as readonly string[]).includes(mode);
}

function unsupported(message: string): BatonError {
  return new BatonError('unsupported_stream_mode', message, { supported: STREAM_MODES });
}
