import type { RunSnapshot } from '@baton/protocol';
import type { CallOptions, Connection } from '../http/connection.ts';
import { cutOff } from '../http/failures.ts';
import { persistence } from './persist.ts';
import { openStream } from './stream.ts';

const ENDED: readonly string[] = ['completed', 'failed', 'cancelled'];

/**
 * The state of a run after each change, until the run has ended. A slow reader does not get every state, but always
 * the latest one. A state is not given twice, also over several connections.
 */
export async function* followValues(
  connection: Connection,
  runId: string,
  { signal }: CallOptions,
): AsyncGenerator<RunSnapshot, void, undefined> {
  const persist = persistence(connection, signal);
  let shown = -1;
  for (;;) {
    try {
      const items = await openStream(connection, { runId, from: 0, modes: ['values'], signal });
      persist.opened();
      let hasEnded = false;
      for await (const item of items) {
        if (item.kind !== 'values') continue;
        hasEnded = ENDED.includes(item.snapshot.status);
        if (item.snapshot.lastSequence <= shown) continue;
        shown = item.snapshot.lastSequence;
        persist.progressed();
        yield item.snapshot;
      }
      if (hasEnded) return;
      throw cutOff(connection.base, new Error('The host closed the stream before the run had ended.'));
    } catch (error) {
      await persist.afterFailure(error);
    }
  }
}
