import type { RunSummary } from '@baton/protocol';
import type { CallOptions, Connection } from '../http/connection.ts';
import { cutOff, unexpected } from '../http/failures.ts';
import { open } from '../http/request.ts';
import { framesOf } from './frames.ts';
import { persistence } from './persist.ts';

/** A run that was created or has changed, or `reset`: the list has to be read again, because changes were missed. */
export type RunsChange = { readonly kind: 'run'; readonly run: RunSummary } | { readonly kind: 'reset' };

/**
 * The changes of all runs, over as many connections as it takes. Each connection begins with a `reset`. It ends only
 * when the caller leaves the loop or aborts, or when the host cannot be reached any more.
 */
export async function* watchRuns(
  connection: Connection,
  { signal }: CallOptions,
): AsyncGenerator<RunsChange, void, undefined> {
  const persist = persistence(connection, signal);
  for (;;) {
    try {
      const { body, status, headers } = await open(connection, 'watchRuns', {
        headers: { accept: 'text/event-stream' },
        signal,
      });
      if (body === null || !headers.get('content-type')?.startsWith('text/event-stream')) {
        throw unexpected(connection.base, status, headers.get('content-type') ?? '');
      }
      persist.opened();
      for await (const { event, data } of framesOf(connection, body)) {
        persist.progressed();
        if (event === 'reset') yield { kind: 'reset' };
        if (event === 'run') yield { kind: 'run', run: JSON.parse(data) as RunSummary };
      }
      throw cutOff(connection.base, new Error('The host closed the stream.'));
    } catch (error) {
      await persist.afterFailure(error);
    }
  }
}
