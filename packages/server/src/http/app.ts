import cors from '@fastify/cors';
import { type FastifyInstance, type FastifyServerOptions, fastify } from 'fastify';
import { a2aRoutes } from '../a2a/routes.ts';
import { agentRoutes } from '../agents/routes.ts';
import { auditRoutes } from '../audit/routes.ts';
import { guardRoutes } from '../auth/guard.ts';
import { boundOpenRequests } from '../auth/open-requests.ts';
import { limitRequests } from '../auth/rate-limit.ts';
import { budgetRoutes } from '../budgets/routes.ts';
import { type ServeConsole, serveConsole } from '../console/serve-console.ts';
import { discoveryRoutes } from '../discovery/routes.ts';
import { eventRoutes } from '../events/routes.ts';
import { pushedRoute } from '../handoffs/pushed-route.ts';
import { interruptRoutes } from '../interrupts/routes.ts';
import { mcpRoutes } from '../mcp/routes.ts';
import { memoryRoutes } from '../memory/routes.ts';
import { modelRoutes } from '../models/routes.ts';
import { healthRoutes } from '../operations/health.ts';
import { heldRunRoutes } from '../operations/held-runs.ts';
import { hostFactRoutes } from '../operations/host-facts.ts';
import { measureRequests } from '../operations/metrics.ts';
import { peerRoutes } from '../peers/routes.ts';
import { readCertificate } from '../peers/tls-files.ts';
import { runRoutes } from '../runs/routes.ts';
import { redactAnswers } from '../secrets/redacted-answers.ts';
import { secretRoutes } from '../secrets/routes.ts';
import { hideSecretKeys } from '../secrets/stored-headers.ts';
import { oidcRoutes } from '../sessions/oidc/routes.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import type { HostSettings } from '../settings.ts';
import { webhookRoutes } from '../webhooks/routes.ts';
import { workflowRoutes } from '../workflows/routes.ts';
import { workspaceRoutes } from '../workspace/routes.ts';
import { createAdmission } from './connections/admission.ts';
import { matchCarriers } from './connections/carriers.ts';
import { endBadConnections } from './connections/client-errors.ts';
import type { Draining } from './connections/draining.ts';
import {
  type ConnectionPatience,
  connectionLimits,
  openFilesAllowed,
  PATIENCE,
} from './connections/limits.ts';
import { keepReserveForHealth } from './connections/reserve.ts';
import { cutStalledReaders } from './connections/stalled-readers.ts';
import type { HostContext, Routes } from './context.ts';
import { errorHandler, sendError, toBatonError } from './errors.ts';
import { scheduleRequests } from './fair-schedule.ts';
import { boundHeavyRequests } from './heavy-requests.ts';
import { acceptJsonBodies, refuseEncodedBodies } from './json-body.ts';
import { answerNotFound, answerWrongMethods, refuseStrangers } from './not-found.ts';
import { boundOpenAnswers } from './open-answers.ts';
import { openApiRoutes } from './openapi.ts';
import { addSecurityHeaders, setSecurityHeaders } from './security-headers.ts';
import { validateWithProtocol } from './validation.ts';

const ROUTES: readonly Routes[] = [
  discoveryRoutes,
  sessionRoutes,
  oidcRoutes,
  openApiRoutes,
  healthRoutes,
  heldRunRoutes,
  hostFactRoutes,
  peerRoutes,
  workflowRoutes,
  agentRoutes,
  modelRoutes,
  runRoutes,
  budgetRoutes,
  memoryRoutes,
  workspaceRoutes,
  secretRoutes,
  webhookRoutes,
  eventRoutes,
  interruptRoutes,
  auditRoutes,
  pushedRoute,
  a2aRoutes,
  mcpRoutes,
];

/** Is given the HTTP side of a host before any hook or route is added to it. */
export type ObserveApp = (app: FastifyInstance) => void;

/** The HTTP server of a host, ready to listen. `more` are routes beside those of the product. */
export async function buildApp(
  host: HostContext,
  more?: Routes,
  observe?: ObserveApp,
): Promise<FastifyInstance> {
  const { settings, keyring } = host;
  const patience = { ...PATIENCE, ...settings.patience };
  const limits = connectionLimits(settings, openFilesAllowed());
  const admission = createAdmission(limits, patience.lingerMs);
  const app = serverOf(settings, patience, {
    // Requests are not logged here: a proxy in front of the host can do that. The host has metrics.
    logger: false,
    bodyLimit: settings.bodyLimitBytes,
    exposeHeadRoutes: false,
    requestTimeout: patience.requestMs,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1024 },
    frameworkErrors(error, request, reply) {
      setSecurityHeaders(reply);
      refuseStrangers(keyring, request).then(
        () => sendError(toBatonError(error), reply),
        (refused) => sendError(toBatonError(refused), reply),
      );
    },
    clientErrorHandler: endBadConnections(admission, patience.lingerMs),
  });

  observe?.(app);
  matchCarriers(app.server);
  admission.watch(app.server);
  host.draining.watch(app.server);
  host.handlers.watch(app);
  dropLateRequests(app, host.draining);
  cutStalledReaders(app.server, patience, Date.now);
  validateWithProtocol(app);
  refuseEncodedBodies(app);
  acceptJsonBodies(app, host.turns);
  app.setErrorHandler(errorHandler(host.log));
  addSecurityHeaders(app);
  keepReserveForHealth(app, admission);
  redactAnswers(app, host.telling);
  hideSecretKeys(app, host.vault);
  if (settings.corsOrigins.length > 0) await app.register(cors, corsOptions(settings.corsOrigins));

  const throttle = limitRequests({
    perKey: settings.rateLimit,
    perPeer: settings.peerRateLimit,
    hosts: host.cluster.size,
  });
  guardRoutes(app, keyring, boundOpenRequests(limits.perTenant), throttle);
  boundHeavyRequests(app);
  scheduleRequests(app, host.turns);
  boundOpenAnswers(app);
  measureRequests(app, host.metrics);
  const fillInOtherMethods = answerWrongMethods(app, keyring);
  answerNotFound(app, keyring, consoleOf(settings));
  for (const routes of ROUTES) routes(app, host);
  more?.(app, host);
  fillInOtherMethods();
  await app.ready();
  return app;
}

function consoleOf({ consoleFolder }: Pick<HostSettings, 'consoleFolder'>): ServeConsole | undefined {
  return consoleFolder === undefined ? undefined : serveConsole(consoleFolder);
}

type AppOptions = Omit<FastifyServerOptions, 'http' | 'https'>;

function serverOf(
  { tls }: Pick<HostSettings, 'tls'>,
  { headersMs, checkEveryMs }: ConnectionPatience,
  options: AppOptions,
): FastifyInstance {
  const http = { headersTimeout: headersMs, connectionsCheckingInterval: checkEveryMs };
  if (tls === undefined) return fastify({ ...options, http });
  const { chain, key } = readCertificate(tls);
  // Peers are known by pinned certificates, whoever has signed them, and all other callers need none. So every
  // certificate is taken here, and judged with the request.
  const asking = { requestCert: true, rejectUnauthorized: false, handshakeTimeout: headersMs };
  // The two servers have the same methods, but fastify describes them and their options by different types.
  const app = fastify({ ...(options as object), https: { ...http, ...asking, cert: chain, key } });
  return app as unknown as FastifyInstance;
}

/** A request on a connection that was ended meanwhile cannot be answered, so it is not carried out. */
function dropLateRequests(app: FastifyInstance, draining: Draining): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!draining.isEnded(request.raw.socket)) return done();
    reply.hijack();
    request.raw.socket.destroy();
  });
}

function corsOptions(origins: readonly string[]) {
  return {
    origin: [...origins],
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'Last-Event-ID',
      'Prefer',
      'traceparent',
    ],
    exposedHeaders: ['ETag', 'Location', 'Preference-Applied', 'Retry-After', 'openwop-Idempotent-Replay'],
    maxAge: 600,
  };
}
