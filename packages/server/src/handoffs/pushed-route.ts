import { BatonError, CONTRACTS } from '@baton/protocol';
import { Webhook } from 'standardwebhooks';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import { usedOnce } from '../peers/peer-callers.ts';
import { pushSecret } from './push-secret.ts';

/**
 * Another host reports that the work of a run has ended or waits. The report itself is not used: it only makes this
 * host ask for the state now, over a connection that it opens itself.
 */
export const pushedRoute: Routes = (app, host) => {
  // Signatures are accepted for five minutes before and after their time.
  const seen = usedOnce({ forMs: 10 * 60_000, most: 1000, now: Date.now });
  bind(
    app,
    CONTRACTS.reportRemoteRun,
    async (request, reply) => {
      const { runId } = request.params;
      const id = request.headers['webhook-id'];
      const body = Buffer.from((request.body as Uint8Array | undefined) ?? []).toString();
      const headers = request.headers as Record<string, string>;
      try {
        new Webhook(pushSecret(host.pushKey, runId)).verify(body, headers);
      } catch {
        throw new BatonError('not_found', 'No run waits for a report that is signed in this way.');
      }
      // A report that arrives twice is answered like the first, and does nothing.
      if (typeof id === 'string' && seen.use(runId, id) === 'first') {
        await host.engine.execute({ kind: 'hasten-effects', runId });
      }
      return reply.code(204).send();
    },
    { rawBody: true },
  );
};
