import { isTerminal } from '@baton/protocol';
import type { FastifyReply } from 'fastify';
import type { HostContext } from '../http/context.ts';
import { type RunOfTenant, runOf } from '../runs/run-of.ts';
import type { Frames } from './frames.ts';
import { openStream, sendWhole } from './open-stream.ts';

interface Following {
  /** The frames to send now, or `undefined` when the run has no new ones. */
  readonly next: () => Frames | undefined;
  /** How long to collect new events before sending them; 0 sends at once. */
  readonly bufferMs: number;
}

/**
 * Sends the frames of a run until the run has ended. A frame is made only when the reader can take it, so a
 * slow reader delays only itself. The frames of a run that has already ended are sent in one write.
 */
export function followRun(
  host: HostContext,
  reply: FastifyReply,
  run: RunOfTenant,
  following: Following,
): void {
  const first = following.next();
  // Frames show that the run exists. Without frames it is looked up: it may not exist, or have ended.
  const over = first === undefined ? isTerminal(runOf(host, run).status) : first.ended;
  if (over) sendWhole(reply, first?.text ?? '');
  else keepFollowing(host, reply, run, following, first);
}

function keepFollowing(
  host: HostContext,
  reply: FastifyReply,
  run: RunOfTenant,
  { next, bufferMs }: Following,
  first: Frames | undefined,
): void {
  let state: 'open' | 'blocked' | 'over' = 'open';
  // The status is read before the rest of the log. If it says that the run has ended, the log is complete.
  let hasEnded = isTerminal(runOf(host, run).status);
  let scheduled = false;
  let timer: NodeJS.Timeout | undefined;

  function pump(): void {
    scheduled = false;
    clearTimeout(timer);
    timer = undefined;
    if (state !== 'open') return;
    try {
      const frames = next();
      if (frames !== undefined) {
        send(frames);
        // One page at a time: other requests are served in between. No page is read after the reader
        // has gone.
        inTurn();
      } else if (hasEnded) {
        // The last event of an ended run is not always the event that ended it.
        send({ text: '', ended: true });
      }
    } catch (error) {
      // The reader sees a broken stream and connects again with the last event id that it has.
      host.log.error({ err: error, runId: run.runId }, 'cannot read the events of a stream');
      stream.abort();
    }
  }

  function inTurn(): void {
    if (state === 'open') host.turns.take(run.tenant, pump);
  }

  function send(frames: Frames): void {
    if (frames.text !== '' && !stream.write(frames.text)) state = 'blocked';
    if (!frames.ended) return;
    state = 'over';
    stream.end();
  }

  const stopWatching = host.feed.watch(run.runId, ({ status }) => {
    hasEnded ||= isTerminal(status);
    if (bufferMs > 0 && !isTerminal(status)) {
      timer ??= setTimeout(inTurn, bufferMs);
    } else if (!scheduled) {
      // One message of the engine often brings several notices of a run. Their events are sent together.
      scheduled = true;
      queueMicrotask(inTurn);
    }
  });

  const stream = openStream(reply, host.lingering, {
    onReady: () => {
      if (state !== 'blocked') return;
      state = 'open';
      inTurn();
    },
    onEnd: () => {
      state = 'over';
      stopWatching();
      clearTimeout(timer);
      host.metrics.streams.dec();
    },
  });
  host.metrics.streams.inc();
  if (first !== undefined) send(first);
  inTurn();
}
