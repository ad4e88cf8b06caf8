import { CONTRACTS } from '@baton/protocol';
import type { FastifyReply } from 'fastify';
import { identityOf } from '../../auth/bearer.ts';
import { openStream } from '../../events/open-stream.ts';
import { bind } from '../../http/bind.ts';
import type { HostContext, Routes } from '../../http/context.ts';

/** A reader whose connection was lost without a sign connects again at the latest then. */
const LONGEST_MS = 10 * 60 * 1000;

export const watchRunsRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.watchRuns, (request, reply) => {
    const { tenant } = identityOf(request);
    // A response that is already closed is not closed a second time, so its watch would never end.
    if (!reply.raw.destroyed) watchRuns(host, reply, tenant);
    return reply;
  });
};

function watchRuns(host: HostContext, reply: FastifyReply, tenant: string): void {
  const unsent = unsentChanges();
  let isBlocked = false;
  const stopWatching = host.changedRuns.watch(tenant, {
    changed(runId, summary) {
      unsent.changed(runId, summary);
      send();
    },
    missed() {
      unsent.missed();
      send();
    },
  });
  const stream = openStream(reply, host.lingering, {
    onReady() {
      isBlocked = false;
      send();
    },
    onEnd() {
      stopWatching();
      clearTimeout(timer);
      host.metrics.streams.dec();
    },
  });
  const timer = setTimeout(stream.end, LONGEST_MS).unref();
  host.metrics.streams.inc();

  function send(): void {
    if (isBlocked) return;
    const frames = unsent.take();
    if (frames !== '') isBlocked = !stream.write(frames);
  }
  send();
}

/** A reader that is further behind reads the list again. */
const MOST_UNSENT = 2000;

/**
 * The changes that a reader has not been sent yet: the newest summary of each run. Begins with a `reset`,
 * because changes before the stream are not kept.
 */
export function unsentChanges() {
  const newest = new Map<string, string>();
  let hasMissed = true;

  function missed(): void {
    newest.clear();
    hasMissed = true;
  }

  return {
    changed(runId: string, summary: string): void {
      // A run that changed again goes to the end, so that the frames keep the order of the changes.
      newest.delete(runId);
      newest.set(runId, summary);
      if (newest.size > MOST_UNSENT) missed();
    },
    missed,
    /** The frames to send now. Empty when there is nothing to say. */
    take(): string {
      let frames = hasMissed ? 'event: reset\ndata: {}\n\n' : '';
      for (const summary of newest.values()) frames += `event: run\ndata: ${summary}\n\n`;
      newest.clear();
      hasMissed = false;
      return frames;
    },
  };
}
