import type { EventOfTree, OutputChunk } from '@baton/protocol';
import type { CallOptions, Connection } from '../http/connection.ts';
import { cutOff } from '../http/failures.ts';
import { type ConnectionState, persistence } from './persist.ts';
import { openFrames } from './stream.ts';

/** Follows the logs of a run and its descendants over one connection at a time. */

export interface TreeOptions extends CallOptions {
  /** Only events with a higher place. Default: 0, all events. */
  readonly after?: number;
  /** Called with `lost` when the connection broke and is being opened again, and with `open` when it is back. */
  readonly onConnection?: (state: ConnectionState) => void;
}

/** An event of the tree, or a part of a text of an agent that is not recorded yet. */
export type TreeItem =
  | ({ readonly kind: 'event' } & EventOfTree)
  | { readonly kind: 'chunk'; readonly chunk: OutputChunk };

/**
 * Every event of a run and its descendants, each once and in the order in which they happened, until all have ended.
 * When the connection is lost or the host is restarted, the stream is opened again after the last event that was given.
 */
export async function* followTree(
  connection: Connection,
  runId: string,
  { after = 0, signal, onConnection }: TreeOptions,
): AsyncGenerator<TreeItem, void, undefined> {
  const persist = persistence(connection, signal, onConnection);
  let last = after;
  for (;;) {
    try {
      const frames = await openFrames(connection, 'readTreeEvents', {
        params: { runId },
        query: { streamMode: 'updates,messages' },
        headers: { 'last-event-id': last > 0 ? String(last) : undefined },
        signal,
      });
      persist.opened();
      for await (const { name, value } of frames) {
        if (name === 'tree.ended') return;
        if (name === 'ai.message.chunk') yield { kind: 'chunk', chunk: value as OutputChunk };
        if (name !== 'tree.event') continue;
        const event = value as EventOfTree;
        if (event.place <= last) continue;
        last = event.place;
        persist.progressed();
        yield { kind: 'event', ...event };
      }
      throw cutOff(connection.base, new Error('The host closed the stream before the runs had ended.'));
    } catch (error) {
      await persist.afterFailure(error);
    }
  }
}
