import { BatonError } from '@baton/protocol';
import cors from '@fastify/cors';
import { type FastifyInstance, fastify } from 'fastify';
import { auditRoutes } from '../audit/routes.ts';
import { guardRoutes } from '../auth/guard.ts';
import { limitPerKey } from '../auth/rate-limit.ts';
import { discoveryRoutes } from '../discovery/routes.ts';
import { eventRoutes } from '../events/routes.ts';
import { interruptRoutes } from '../interrupts/routes.ts';
import { healthRoutes } from '../operations/health.ts';
import { measureRequests } from '../operations/metrics.ts';
import { runRoutes } from '../runs/routes.ts';
import { seamRoutes } from '../seams/routes.ts';
import { redactAnswers } from '../secrets/redacted-answers.ts';
import { workflowRoutes } from '../workflows/routes.ts';
import { workspaceRoutes } from '../workspace/routes.ts';
import type { HostContext, Routes } from './context.ts';
import { errorHandler, rawErrorResponse, sendError, toBatonError } from './errors.ts';
import { boundHeavyRequests } from './heavy-requests.ts';
import { acceptJsonBodies } from './json-body.ts';
import { answerNotFound, answerWrongMethods, refuseStrangers } from './not-found.ts';
import { describeApi, openApiRoutes } from './openapi.ts';
import { addSecurityHeaders } from './security-headers.ts';
import { validateWithProtocol } from './validation.ts';

const ROUTES: readonly Routes[] = [
  discoveryRoutes,
  openApiRoutes,
  healthRoutes,
  workflowRoutes,
  runRoutes,
  workspaceRoutes,
  eventRoutes,
  interruptRoutes,
  auditRoutes,
];

/** The HTTP face of a host, ready to listen. */
export async function buildApp(host: HostContext): Promise<FastifyInstance> {
  const { settings, keyring } = host;
  const app = fastify({
    // A line for each request is the business of the proxy in front; the host counts them instead.
    logger: false,
    bodyLimit: settings.bodyLimitBytes,
    exposeHeadRoutes: false,
    requestTimeout: 30_000,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1024 },
    frameworkErrors(error, request, reply) {
      try {
        refuseStrangers(keyring, request);
        sendError(toBatonError(error), reply);
      } catch (refused) {
        sendError(toBatonError(refused), reply);
      }
    },
    clientErrorHandler(error, socket) {
      if (!socket.writable) return;
      const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
      const status = tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
      socket.end(
        rawErrorResponse(status, new BatonError('validation_error', 'This is not a valid HTTP request.')),
      );
    },
  });

  validateWithProtocol(app);
  acceptJsonBodies(app);
  app.setErrorHandler(errorHandler(host.log));
  addSecurityHeaders(app);
  redactAnswers(app, host.vault);
  if (settings.corsOrigins.length > 0) await app.register(cors, corsOptions(settings.corsOrigins));
  await describeApi(app);

  guardRoutes(app, keyring, settings.rateLimit > 0 ? limitPerKey(settings.rateLimit) : undefined);
  boundHeavyRequests(app);
  measureRequests(app, host.metrics);
  const fillInOtherMethods = answerWrongMethods(app, keyring);
  answerNotFound(app, keyring);
  for (const routes of ROUTES) routes(app, host);
  if (settings.testSeams) seamRoutes(app, host);
  fillInOtherMethods();
  await app.ready();
  return app;
}

function corsOptions(origins: readonly string[]) {
  return {
    origin: [...origins],
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-None-Match',
      'Last-Event-ID',
      'Prefer',
      'traceparent',
    ],
    exposedHeaders: ['ETag', 'Location', 'Preference-Applied', 'Retry-After', 'openwop-Idempotent-Replay'],
    maxAge: 600,
  };
}
