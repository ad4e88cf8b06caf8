import { isTerminal } from '@baton/protocol';
import type { FastifyReply } from 'fastify';
import type { HostContext } from '../http/context.ts';
import { type RunOfTenant, runOf } from '../runs/run-of.ts';
import type { Frames } from './frames.ts';
import { openStream, sendWhole } from './open-stream.ts';

export interface Following {
  /** What there is to send now, or nothing until the run has moved. */
  readonly next: () => Frames | undefined;
  /** How long to let moves add up before sending them; 0 sends at once. */
  readonly bufferMs: number;
}

/**
 * Sends what there is to say about a run until it has ended. Frames are made when the reader can take them,
 * so one that falls behind holds up only itself. A run that has ended already is answered in one write.
 */
export function followRun(
  host: HostContext,
  reply: FastifyReply,
  run: RunOfTenant,
  following: Following,
): void {
  const first = following.next();
  // Whoever has something to read has a run; only silence needs a second look.
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
  // Known before the log is read to its end, so that nothing which happened before can be missed.
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
        // A page at a time: others have their turn in between, and a reader that has gone is not read for.
        inTurn();
      } else if (hasEnded) {
        // The last event of an ended run is not always the one that ended it.
        send({ text: '', ended: true });
      }
    } catch (error) {
      // The reader sees a broken stream and comes back with the last id it has.
      host.log.error({ err: error, runId: run.runId }, 'a stream could not be read');
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
      // A run often moves several times in one message of the engine; the moves are sent together.
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
