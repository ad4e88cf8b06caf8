import { CONTRACTS } from '@baton/protocol';
import type { FastifyReply } from 'fastify';
import { identityOf } from '../../auth/bearer.ts';
import { openStream } from '../../events/open-stream.ts';
import { bind } from '../../http/bind.ts';
import type { HostContext, Routes } from '../../http/context.ts';
import { unsentChanges } from './unsent-changes.ts';

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
