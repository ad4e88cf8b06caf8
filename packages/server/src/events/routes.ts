import { BatonError, CONTRACTS, isTerminal } from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { identityOf } from '../auth/bearer.ts';
import { bind, type RequestTo } from '../http/bind.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { runOf } from '../runs/run-of.ts';
import { followRun } from './follow.ts';
import { chunkFrame } from './frames.ts';
import { sendLog } from './send-log.ts';
import { logFrames, valueFrames } from './sources.ts';
import { streamView } from './stream-mode.ts';
import { waitForRun } from './wait.ts';

/** A run's log: as a stream, as a document, and by asking again and again. */

type EventsRequest = RequestTo<typeof CONTRACTS.readEvents>;
type PollRequest = RequestTo<typeof CONTRACTS.pollEvents>;

export const eventRoutes: Routes = (app, host) => {
  bind(app, CONTRACTS.readEvents, (request, reply) => sendEvents(host, request, reply));

  bind(app, CONTRACTS.pollEvents, (request, reply) => pollEvents(host, request, reply));
};

async function sendEvents(host: HostContext, request: EventsRequest, reply: FastifyReply): Promise<void> {
  const { streamMode, bufferMs = 0 } = request.query;
  const view = streamView(streamMode);
  const identity = identityOf(request);
  const run = { tenant: identity.tenant, runId: request.params.runId };
  if (wantsJson(request)) return sendLog(host, reply, await runOf(host, run), 0, ']}');
  const from = lastEventId(request) + 1;
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

function wantsJson(request: FastifyRequest): boolean {
  const { accept = '' } = request.headers;
  return accept.includes('application/json') && !accept.includes('text/event-stream');
}

/** Where the reader left off. The header is what browsers send by themselves, so it wins. */
function lastEventId(request: EventsRequest): number {
  const header = request.headers['last-event-id'];
  if (header === undefined || header === '') return request.query.lastEventId ?? -1;
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header)) {
    throw new BatonError('validation_error', 'Last-Event-ID must be the sequence of an event.', {
      field: 'Last-Event-ID',
    });
  }
  return Number(header);
}
