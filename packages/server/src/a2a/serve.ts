import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { type A2ARequestHandler, JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { HANDOFF_EXTENSION } from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { identityOf } from '../auth/bearer.ts';
import type { HostContext } from '../http/context.ts';
import { traceparentOf } from '../http/traceparent.ts';
import { A2A_VERSIONS, type A2aCall, type A2aVersion } from './call.ts';
import { type Cards, rememberedCards } from './card.ts';
import { a2aError } from './refusals.ts';
import { operationsFor } from './request-handler.ts';
import { type RpcAnswer, streamAnswers } from './stream-answers.ts';

/** The A2A side of a host. */
export interface A2aServer {
  serve(request: A2aRequest, reply: FastifyReply): Promise<unknown>;
  /** The document for clients of both versions. */
  card(): Promise<object>;
}

type A2aRequest = FastifyRequest<{ Body: Readonly<Record<string, unknown>> }>;

export function createA2aServer(host: HostContext): A2aServer {
  const cards = rememberedCards(host);
  return {
    serve: (request, reply) => serve(host, cards, request, reply),
    card: async () => (await cards()).document,
  };
}

async function serve(
  host: HostContext,
  cards: Cards,
  request: A2aRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { body } = request;
  const version = versionOf(request.headers['a2a-version'], body.method);
  if (version === undefined) return unsupportedVersion(body.id);
  const call = callOf(host, version, request, reply);
  const failures: unknown[] = [];
  const operations = { ...operationsFor(call), getAgentCard: async () => (await cards()).card };
  const handler = withOwnErrors(operations, (failure) => failures.push(failure));
  const context = new ServerCallContext({ requestedVersion: version });
  if (asksForHandoffs(request.headers)) reply.header('a2a-extensions', HANDOFF_EXTENSION);
  const answer = await TRANSPORTS[version].answer(handler, { ...body }, context);
  if (failures.length > 0) throw failures[0];
  if (!(Symbol.asyncIterator in answer)) return readable(answer);
  return streamAnswers(call, reply, answer, (error) => {
    if (failures.length > 0) throw failures[0];
    return readable({ jsonrpc: '2.0', id: idOf(body.id), error: TRANSPORTS[version].errorOf(error) });
  });
}

interface Transport {
  answer(
    handler: A2ARequestHandler,
    body: Record<string, unknown>,
    context: ServerCallContext,
  ): Promise<RpcAnswer | AsyncGenerator<RpcAnswer, void, undefined>>;
  errorOf(error: unknown): NonNullable<RpcAnswer['error']>;
}

const TRANSPORTS: Readonly<Record<A2aVersion, Transport>> = {
  '1.0': {
    answer: (handler, body, context) =>
      new JsonRpcTransportHandler(handler).handle(body, context) as ReturnType<Transport['answer']>,
    errorOf: (error) => JsonRpcTransportHandler.mapToJSONRPCError(error),
  },
  '0.3': {
    answer: (handler, body, context) =>
      new LegacyJsonRpcTransportHandler(handler).handle(body, context) as ReturnType<Transport['answer']>,
    errorOf: (error) => LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error),
  },
};

function callOf(
  host: HostContext,
  version: A2aVersion,
  request: FastifyRequest,
  reply: FastifyReply,
): A2aCall {
  const aborted = new AbortController();
  const forget = host.lingering.add(() => aborted.abort());
  reply.raw.once('close', () => {
    forget();
    aborted.abort();
  });
  return {
    host,
    identity: identityOf(request),
    version,
    response: reply.raw,
    signal: aborted.signal,
    traceparent: traceparentOf(request, reply),
  };
}

/**
 * The version that the header names. Without a header the name of the method tells: `message/send` is of 0.3, and
 * `SendMessage` of 1.0.
 */
function versionOf(header: string | string[] | undefined, method: unknown): A2aVersion | undefined {
  if (header === undefined || header === '') return String(method).includes('/') ? '0.3' : '1.0';
  const [major, minor] = String(header).split('.');
  return A2A_VERSIONS.find((known) => known === `${major}.${minor}`);
}

function unsupportedVersion(id: unknown): RpcAnswer {
  const message = `This host speaks A2A ${A2A_VERSIONS.join(' and ')}; name one of them in A2A-Version.`;
  const error = JsonRpcTransportHandler.mapToJSONRPCError(new VersionNotSupportedError({ message }));
  return { jsonrpc: '2.0', id: idOf(id), error };
}

/** An id that is no string, integer or null cannot be repeated in an answer. */
export function idOf(id: unknown): string | number | null {
  return (typeof id === 'string' && id.length <= 256) || Number.isInteger(id)
    ? (id as string | number)
    : null;
}

function asksForHandoffs(headers: FastifyRequest['headers']): boolean {
  const asked = [headers['a2a-extensions'], headers['x-a2a-extensions']].flat().join(',');
  return asked.split(',').some((uri) => uri.trim() === HANDOFF_EXTENSION);
}

/**
 * Refusals become errors of A2A. Everything else is told to `onFailure`, so that it is answered and logged like a
 * failure of any other route; the SDK would send its message to the caller.
 */
function withOwnErrors(
  operations: Partial<A2ARequestHandler>,
  onFailure: (failure: unknown) => void,
): A2ARequestHandler {
  function failed(error: unknown): unknown {
    const known = isA2aError(error) ? error : a2aError(error);
    if (known === undefined) onFailure(error);
    return known ?? error;
  }
  const wrapped = Object.entries(operations).map(([name, operation]) => {
    const perform = operation as (...args: unknown[]) => Promise<unknown> | AsyncGenerator<unknown>;
    return [
      name,
      (...args: unknown[]) => {
        const result = perform(...args);
        return Symbol.asyncIterator in result
          ? generated(result, failed)
          : result.catch((error: unknown) => Promise.reject(failed(error)));
      },
    ];
  });
  return Object.fromEntries(wrapped) as A2ARequestHandler;
}

async function* generated(
  events: AsyncGenerator<unknown>,
  failed: (error: unknown) => unknown,
): AsyncGenerator<unknown> {
  try {
    yield* events;
  } catch (error) {
    throw failed(error);
  }
}

function isA2aError(error: unknown): boolean {
  return error instanceof Error && 'reason' in error && 'toErrorInfo' in error;
}

const INTERNAL_ERROR = -32603;
const INVALID_PARAMS = -32602;

/** Our own failures are thrown before, so an internal error means that the SDK could not read the parameters. */
function readable(answer: RpcAnswer): RpcAnswer {
  const { id, error } = answer;
  const told = { ...answer, id: idOf(id) };
  if (error?.code !== INTERNAL_ERROR) return told;
  return { ...told, error: { code: INVALID_PARAMS, message: 'The parameters cannot be read.' } };
}
