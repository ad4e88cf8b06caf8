import type { PartOf, RouteContract } from '@baton/protocol';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  preValidationHookHandler,
  RouteHandlerMethod,
  RouteShorthandOptions,
} from 'fastify';
import type { HeavyKind } from './heavy-requests.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent on the seams, and on the routes that refuse the other methods of an address. */
    readonly contract?: RouteContract;
  }
  interface FastifySchema {
    /** Says of a seam that no client is told about it. */
    readonly hide?: boolean;
  }
}

export type RequestTo<C extends RouteContract> = FastifyRequest<{
  Params: PartOf<C, 'params'>;
  Querystring: PartOf<C, 'query'>;
  Body: PartOf<C, 'body'>;
}>;

/** What the host adds to a contract: how a request is read and how much of it there may be, which no client needs. */
export interface Binding
  extends Pick<RouteShorthandOptions, 'bodyLimit' | 'validatorCompiler' | 'onRequest'> {
  readonly heavy?: HeavyKind;
  readonly rawBody?: boolean;
}

/**
 * Adds the route of a contract: its address, the checks of its requests and the scope that it needs all come from
 * there. Headers and responses are for clients and tests; the host does not check them.
 */
export function bind<C extends RouteContract>(
  app: FastifyInstance,
  contract: C,
  handler: (request: RequestTo<C>, reply: FastifyReply) => unknown,
  { heavy, rawBody, ...options }: Binding = {},
): void {
  const { method, path, access, params, query, body } = contract;
  app.route({
    ...options,
    method,
    url: routerPath(path),
    schema: {
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && { body }),
    },
    config: { access, contract, ...(heavy && { heavy }), ...(rawBody && { rawBody }) },
    ...(path.includes('{+') && { preValidation: nameTheRest(path) }),
    handler: handler as RouteHandlerMethod,
  });
}

/** Ids of runs have no colon. Where a verb may follow, the router is told so and takes no verb for a part of an id. */
const BEFORE_VERB = /\{(runId)\}(?=::|$)/g;

/** The address of a contract as the router writes it, in which a colon stands before a name and is doubled elsewhere. */
export function routerPath(path: string): string {
  return path
    .replaceAll(':', '::')
    .replace(BEFORE_VERB, ':$1(^[^:/]+)')
    .replace(/\{(\w+)\}/g, ':$1')
    .replace(/\{\+\w+\}$/, '*');
}

/** The router calls the part of an address that takes slashes `*`; handlers call it what the contract does. */
function nameTheRest(path: string): preValidationHookHandler {
  const name = /\{\+(\w+)\}$/.exec(path)?.[1] ?? '*';
  return (request, _reply, done) => {
    const { '*': rest, ...others } = request.params as Record<string, string>;
    request.params = { ...others, [name]: rest };
    done();
  };
}
