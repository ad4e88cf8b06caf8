import { isTerminal } from '@baton/protocol';
import type { FastifyReply } from 'fastify';
import type { HostContext } from '../http/context.ts';
import { type RunOfTenant, type RunSource, runOf } from '../runs/run-of.ts';
import { FRESH_EVENTS } from '../thread/fresh-events.ts';
import type { Frames } from './frames.ts';
import { openStream, sendWhole } from './open-stream.ts';
import type { FrameSource } from './sources.ts';
import { type RunWatch, watchRun } from './watch-run.ts';

interface Following {
  /** The frames to send now, or `undefined` when the run has no new ones. */
  readonly next: FrameSource;
  /** How long to collect new events before sending them; 0 sends at once. */
  readonly bufferMs: number;
  /** Tells when there are new frames. It has already begun. Absent: the notices of the run. */
  readonly watch?: RunWatch;
  /** Sends frames that are not in the log, until the returned function is called. A slow reader misses some. */
  readonly unlogged?: (send: (text: string) => void) => () => void;
}

type FollowHost = Pick<HostContext, 'feed' | 'tails' | 'turns' | 'lingering' | 'metrics' | 'log'> & RunSource;

/**
 * Sends the frames of a run until the run has ended. A frame is made only when the reader can take it, so a
 * slow reader delays only itself. The frames of a run that has already ended are sent in one write.
 */
export async function followRun(
  host: FollowHost,
  reply: FastifyReply,
  run: RunOfTenant,
  following: Following,
): Promise<void> {
  const first = await firstFrames(following);
  if (first?.ended) {
    following.watch?.stop();
    sendWhole(reply, first.text);
  } else {
    await followFrom(host, reply, run, following, first);
  }
}

async function firstFrames({ next, watch }: Following): Promise<Frames | undefined> {
  try {
    return await next();
  } catch (error) {
    watch?.stop();
    throw error;
  }
}

/**
 * The watch begins before the status is read, so that a commit which the status does not show is noticed. The
 * status is read before the rest of the log: when it shows that the run has ended, the rest is complete.
 */
async function followFrom(
  host: FollowHost,
  reply: FastifyReply,
  run: RunOfTenant,
  following: Following,
  first: Frames | undefined,
): Promise<void> {
  const watch = following.watch ?? watchRun(host.feed, run.runId);
  let hasEnded = false;
  let frames = first;
  try {
    hasEnded = following.watch?.hasEnded() ?? isTerminal((await runOf(host, run)).status);
    if (hasEnded) frames ??= await following.next();
  } catch (error) {
    watch.stop();
    throw error;
  }
  const over = frames === undefined ? hasEnded : frames.ended;
  // A response that was closed meanwhile is not closed a second time, so the watch would never end.
  if (over || reply.raw.destroyed) {
    watch.stop();
    sendWhole(reply, frames?.text ?? '');
  } else {
    const tail = tailOfLong(host.tails, run, following.next);
    keepFollowing(host, reply, run, { ...following, next: tail.next }, { watch, tail, hasEnded, frames });
  }
}

interface Beginning {
  readonly watch: RunWatch;
  readonly tail: ReturnType<typeof tailOfLong>;
  /** Whether the run had ended when its row was read. */
  readonly hasEnded: boolean;
  readonly frames: Frames | undefined;
}

/** Whether no notice has told of further events. Of an ended run all is read, also what no notice has told. */
function hasAll({ upTo = -1 }: Frames, watch: RunWatch): boolean {
  return !watch.hasEnded() && upTo >= watch.newest();
}

/**
 * The same reading of a log. Once a reader has come far enough, the new events of the log are kept in memory until it
 * goes, so that they need not be read from the store.
 */
function tailOfLong(tails: FollowHost['tails'], run: RunOfTenant, next: FrameSource) {
  let stop: (() => void) | undefined;
  let isOver = false;
  return {
    async next(): Promise<Frames | undefined> {
      const frames = await next();
      const isLong = frames !== undefined && !frames.ended && (frames.upTo ?? 0) >= FRESH_EVENTS;
      // The reader may have gone meanwhile.
      if (isLong && !isOver) stop ??= tails.follow(run);
      return frames;
    },
    end(): void {
      isOver = true;
      stop?.();
    },
  };
}

function keepFollowing(
  host: FollowHost,
  reply: FastifyReply,
  run: RunOfTenant,
  { next, bufferMs, unlogged = () => () => undefined }: Following,
  { watch, tail, hasEnded, frames: first }: Beginning,
): void {
  let state: 'open' | 'blocked' | 'over' = 'open';
  let scheduled = false;
  let timer: NodeJS.Timeout | undefined;
  /** Pages are read one after the other. A notice during a read may be about events that the page lacks. */
  let reading = false;
  let noticed = false;

  async function pump(): Promise<void> {
    scheduled = false;
    clearTimeout(timer);
    timer = undefined;
    noticed = true;
    if (state !== 'open' || reading) return;
    reading = true;
    noticed = false;
    // Asked before the page is read: a run may end while it is read, and the page then lacks the last events.
    const isLast = hasEnded || watch.hasEnded();
    try {
      const frames = await next();
      reading = false;
      // The last event of an ended run is not always the event that ended it.
      if (frames !== undefined || isLast) send(frames ?? { text: '', ended: true });
      // One page at a time: other requests are served in between. No page is read after the reader has gone.
      if (noticed || (frames !== undefined && !hasAll(frames, watch))) inTurn();
    } catch (error) {
      // The reader sees a broken stream and connects again with the last event id that it has.
      host.log.error({ err: error, runId: run.runId }, 'cannot read the events of a stream');
      stream.abort();
    }
  }

  function inTurn(): void {
    if (state === 'open') host.turns.take(run.tenant, () => void pump());
  }

  function send(frames: Frames): void {
    if (state !== 'open') return;
    if (frames.text !== '' && !stream.write(frames.text)) state = 'blocked';
    if (!frames.ended) return;
    state = 'over';
    stream.end();
  }

  watch.listen((status) => {
    if (bufferMs > 0 && !isTerminal(status)) {
      timer ??= setTimeout(inTurn, bufferMs);
    } else if (!scheduled) {
      // One message of the engine often brings several notices of a run. Their events are sent together.
      scheduled = true;
      queueMicrotask(inTurn);
    }
  });

  const stopUnlogged = unlogged((text) => stream.offer(text));
  const stream = openStream(reply, host.lingering, {
    onReady: () => {
      if (state !== 'blocked') return;
      state = 'open';
      inTurn();
    },
    onEnd: () => {
      state = 'over';
      watch.stop();
      tail.end();
      stopUnlogged();
      clearTimeout(timer);
      host.metrics.streams.dec();
    },
  });
  host.metrics.streams.inc();
  if (first !== undefined) send(first);
  inTurn();
}
