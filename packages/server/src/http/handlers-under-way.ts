import { BatonError } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';

/**
 * The handlers of requests that have begun and not ended. A handler may go on after its client has gone, and it
 * reads from the store, which must not be closed before.
 */
export interface HandlersUnderWay {
  /** Begins to count the handlers of the routes that are added from now on. */
  watch(app: FastifyInstance): void;
  /** Resolves when no handler is under way. From then on, every further one is refused. */
  close(): Promise<void>;
}

export function createHandlersUnderWay(): HandlersUnderWay {
  const underWay = new Set<Promise<unknown>>();
  let closed = false;
  return {
    watch(app) {
      app.addHook('onRoute', (route) => {
        const { handler } = route;
        route.handler = function (request, reply) {
          if (closed) throw new BatonError('shutting_down');
          const result: unknown = handler.call(this, request, reply);
          if (!(result instanceof Promise)) return result;
          const ended = result.catch(() => undefined).finally(() => underWay.delete(ended));
          underWay.add(ended);
          return result;
        };
      });
    },
    async close() {
      while (underWay.size > 0) await Promise.all(underWay);
      closed = true;
    },
  };
}
