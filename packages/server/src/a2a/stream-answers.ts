import type { FastifyReply } from 'fastify';
import { openStream } from '../events/open-stream.ts';
import type { A2aCall } from './call.ts';

/** Sends the answers of a streaming request as server-sent events. */

export interface RpcAnswer {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/**
 * A request that is refused before the first answer is answered without a stream. `refused` makes that answer, or
 * throws.
 */
export async function streamAnswers(
  { host, identity }: Pick<A2aCall, 'host' | 'identity'>,
  reply: FastifyReply,
  answers: AsyncGenerator<RpcAnswer, void, undefined>,
  refused: (error: unknown) => RpcAnswer,
): Promise<unknown> {
  let first: IteratorResult<RpcAnswer, void>;
  try {
    first = await answers.next();
  } catch (error) {
    return refused(error);
  }
  let ready = (): void => undefined;
  const stream = openStream(reply, host.lingering, {
    onReady: () => ready(),
    onEnd: () => {
      ready();
      host.metrics.streams.dec();
    },
  });
  host.metrics.streams.inc();
  const send = (answer: RpcAnswer): boolean =>
    stream.write(`data: ${host.telling.json(identity.tenant, JSON.stringify(answer))}\n\n`);
  void (async () => {
    try {
      for (let next = first; next.done !== true; next = await answers.next()) {
        const taken = new Promise<void>((resolve) => {
          ready = resolve;
        });
        // A slow reader delays only itself: the next answer is made when this one was taken.
        if (!send(next.value) && !reply.raw.destroyed) await taken;
        if (reply.raw.destroyed) break;
      }
      stream.end();
    } catch (error) {
      // The reader sees a broken stream and subscribes again.
      host.log.error({ err: error }, 'cannot go on with the stream of a task');
      stream.abort();
    } finally {
      await answers.return();
    }
  })();
  return reply;
}
