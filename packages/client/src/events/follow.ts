import type { OutputChunk, RunEvent } from '@baton/protocol';
import type { CallOptions, Connection } from '../http/connection.ts';
import { cutOff } from '../http/failures.ts';
import { ask } from '../http/request.ts';
import { type ConnectionState, persistence } from './persist.ts';
import { openStream } from './stream.ts';

/** Follows the log of a run over as many connections as it takes. */

export interface EventsOptions extends CallOptions {
  /** The sequence of the first event. Default: 0, the beginning of the log. */
  readonly from?: number;
  /** Called with `lost` when the connection broke and is being opened again, and with `open` when it is back. */
  readonly onConnection?: (state: ConnectionState) => void;
}

/** An event of the log, or a part of a text of an agent that is not recorded yet. */
export type LiveItem =
  | { readonly kind: 'event'; readonly event: RunEvent }
  | { readonly kind: 'chunk'; readonly chunk: OutputChunk };

/**
 * Every event from `from` on, each once and in order. When the connection is lost or the host is restarted, the stream
 * is opened again after the last event that was given. It ends after the last event of a run that has ended.
 *
 * With `withChunks`, parts of texts come in between. Parts that are sent while there is no connection are lost; the
 * whole texts are in the log.
 */
export async function* followRun(
  connection: Connection,
  runId: string,
  { from = 0, signal, onConnection }: EventsOptions,
  withChunks: boolean,
): AsyncGenerator<LiveItem, void, undefined> {
  if (!Number.isSafeInteger(from) || from < 0) {
    throw new RangeError(`from is ${from}, but the sequence of an event is 0 or a whole number above.`);
  }
  const persist = persistence(connection, signal, onConnection);
  const modes = withChunks ? (['updates', 'messages'] as const) : (['updates'] as const);
  let next = from;
  for (;;) {
    try {
      const items = await openStream(connection, { runId, from: next, modes, signal });
      persist.opened();
      for await (const item of items) {
        if (item.kind === 'chunk') yield item;
        if (item.kind !== 'event' || item.event.sequence < next) continue;
        if (item.event.sequence > next) throw gap(connection, next, item.event.sequence);
        next += 1;
        persist.progressed();
        yield item;
      }
      // A host that stops closes its streams, too. So a closed stream is not always the end of the run.
      const rest = await eventsAfter(connection, runId, next, signal);
      for (const event of rest.events) {
        next += 1;
        yield { kind: 'event', event };
      }
      if (rest.isComplete) return;
      throw cutOff(connection.base, new Error('The host closed the stream before the run had ended.'));
    } catch (error) {
      await persist.afterFailure(error);
    }
  }
}

function gap({ base }: Connection, wanted: number, got: number): Error {
  return cutOff(base, new Error(`The stream skipped from event ${wanted} to event ${got}.`));
}

async function eventsAfter(
  connection: Connection,
  runId: string,
  next: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly events: readonly RunEvent[]; readonly isComplete: boolean }> {
  const query = { lastSequence: next - 1, timeout: 0 };
  const answer = await ask(connection, 'pollEvents', { params: { runId }, query, signal });
  return { events: answer.events as readonly RunEvent[], isComplete: answer.isComplete };
}
