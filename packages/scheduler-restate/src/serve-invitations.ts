import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { ALARM_POOL, type Alarm, type Invitation, type InvitationAnswer } from '@baton/engine/ports';
import { createEndpointHandler, object, RetryableError, TerminalError } from '@restatedev/restate-sdk';
import { serviceName } from './service-names.ts';

/**
 * The endpoint at which Restate calls this host: a virtual object for each pool, with the key of the effect. The object
 * of the deadlines has the id of the root run as its key.
 */
interface InvitationServer {
  readonly port: number;
  stop(): Promise<void>;
}

interface ServingOptions {
  readonly listen: { readonly host: string; readonly port: number };
  readonly pools: readonly string[];
  readonly identityKey: string | undefined;
  readonly invited: (invitation: Invitation) => Promise<InvitationAnswer>;
  /** The deadline of a tree has come. If it rejects, Restate calls again. */
  readonly rung: (alarm: Alarm) => Promise<void>;
  readonly onProblem: (message: string) => void;
}

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;

/**
 * How Restate asks again when another host has the effect, or this one was lost. It gives up in the end, because what
 * is still to be done is found by the sweep.
 */
const RETRIES = {
  initialInterval: 500,
  exponentiationFactor: 2,
  maxInterval: 10 * SECOND_MS,
  maxAttempts: 400,
  onMaxAttempts: 'kill',
} as const;

export async function serveInvitations(options: ServingOptions): Promise<InvitationServer> {
  const { listen, pools, identityKey, invited, rung, onProblem } = options;

  async function perform({ key }: { readonly key: string }, input: unknown): Promise<void> {
    const tries = countIn(input, 'try');
    if (tries === undefined || !key.includes('/'))
      throw new TerminalError('send {"try": 1} to the key of an effect');
    if ((await invited({ key, tries })) === 'elsewhere')
      throw new RetryableError('another host performs the effect, or this host stops');
  }

  async function ring({ key }: { readonly key: string }, input: unknown): Promise<void> {
    const at = countIn(input, 'at');
    if (at === undefined) throw new TerminalError('send {"at": 1767225600000} to the id of a root run');
    await rung({ rootId: key, at });
  }

  type Handler = (context: { readonly key: string }, input: unknown) => Promise<void>;
  const handlersOf = (pool: string): Record<string, Handler> =>
    pool === ALARM_POOL ? { ring } : { perform };
  const services = pools.map((pool) =>
    object({
      name: serviceName(pool),
      handlers: handlersOf(pool),
      options: {
        // A call may take long, and tells Restate nothing meanwhile.
        inactivityTimeout: HOUR_MS,
        abortTimeout: 60 * SECOND_MS,
        // What was done is in the log of the run.
        journalRetention: 0,
        idempotencyRetention: 60 * SECOND_MS,
        retryPolicy: RETRIES,
      },
    }),
  );
  const handler = createEndpointHandler({
    services,
    ...(identityKey !== undefined && { identityKeys: [identityKey] }),
    // Restate shows each attempt and its error; in the log of the host they would only repeat.
    logger: ({ level }, message) => {
      if (String(level) === 'error') onProblem(String(message));
    },
  });
  const server = createServer(handler);
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  await listening(server, listen);
  server.on('error', (error) => onProblem(error.message));
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

function countIn(input: unknown, name: string): number | undefined {
  const count = typeof input === 'object' && input !== null ? Reflect.get(input, name) : undefined;
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

/** The thread before this one may not have let go of the port yet. */
const LISTEN_TRIES = 20;
const LISTEN_AGAIN_MS = 100;

async function listening(
  server: Http2Server,
  { host, port }: ServingOptions['listen'],
  tries = 1,
): Promise<void> {
  const problem = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => {
      server.off('error', resolve);
      resolve(undefined);
    });
  });
  if (problem === undefined) return;
  if (problem.code !== 'EADDRINUSE' || tries >= LISTEN_TRIES)
    throw new Error(
      `the host cannot listen for Restate at ${host}:${port} (${problem.code ?? problem.message}): ` +
        'name a free address in BATON_RESTATE_LISTEN',
    );
  await new Promise((resolve) => setTimeout(resolve, LISTEN_AGAIN_MS));
  return listening(server, { host, port }, tries + 1);
}
