import type { PartOf, RouteContract } from '@baton/protocol';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  preValidationHookHandler,
  RouteHandlerMethod,
  RouteShorthandOptions,
} from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent on the seams, and on the routes that refuse other methods. */
    readonly contract?: RouteContract;
  }
  interface FastifySchema {
    /** Hides a seam from the API description. */
    readonly hide?: boolean;
  }
}

export type RequestTo<C extends RouteContract> = FastifyRequest<{
  Params: PartOf<C, 'params'>;
  Querystring: PartOf<C, 'query'>;
  Body: PartOf<C, 'body'>;
}>;

/** Settings of the host for a route that clients need not know, such as the size limit of a body. */
interface Binding extends Pick<RouteShorthandOptions, 'bodyLimit' | 'validatorCompiler' | 'onRequest'> {
  readonly heavy?: boolean;
  readonly rawBody?: boolean;
}

/**
 * Adds the route of a contract. The contract gives its address, the schemas of its requests and its scope.
 * The host does not check headers and responses; they are in the contract for clients and tests.
 */
export function bind<C extends RouteContract>(
  app: FastifyInstance,
  contract: C,
  handler: (request: RequestTo<C>, reply: FastifyReply) => unknown,
  { heavy, rawBody, ...options }: Binding = {},
): void {
  const { method, path, access, peers, params, query, body } = contract;
  app.route({
    ...options,
    method,
    url: routerPath(path),
    schema: {
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && { body }),
    },
    config: {
      access,
      contract,
      ...(peers && { peers }),
      ...(heavy && { heavy }),
      ...(rawBody && { rawBody }),
    },
    ...(path.includes('{+') && { preValidation: nameTheRest(path) }),
    handler: handler as RouteHandlerMethod,
  });
}

/** Ids of runs and webhooks have no colon. Where a verb may follow, the router must not read it as a part of the id. */
const BEFORE_VERB = /\{(runId|webhookId)\}(?=::|$)/g;

/** The address of a contract in the syntax of the router: a colon marks a name; other colons are doubled. */
export function routerPath(path: string): string {
  return path
    .replaceAll(':', '::')
    .replace(BEFORE_VERB, ':$1(^[^:/]+)')
    .replace(/\{(\w+)\}/g, ':$1')
    .replace(/\{\+\w+\}$/, '*');
}

/** The router calls the part of an address with slashes `*`. Handlers get its name in the contract. */
function nameTheRest(path: string): preValidationHookHandler {
  const name = /\{\+(\w+)\}$/.exec(path)?.[1] ?? '*';
  return (request, _reply, done) => {
    const { '*': rest, ...others } = request.params as Record<string, string>;
    request.params = { ...others, [name]: rest };
    done();
  };
}
