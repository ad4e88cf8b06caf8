import { createServer } from 'node:net';
import { type Baton, BatonError, connect, type PeerList } from '@baton/client';
import type { RunningHost } from '../over-http/running-host.ts';
import type { HostFacts, ProviderFacts } from './facts.ts';

interface AskedHost {
  readonly facts: HostFacts;
  /** Absent when the host did not say. */
  readonly providers?: readonly ProviderFacts[];
  readonly peers?: PeerList['peers'];
}

const PATIENCE_MS = 3_000;

/** Asks the host at the address, or looks whether its port is free. */
export async function hostFacts({ url, apiKey }: RunningHost): Promise<AskedHost> {
  const clock: { aheadMs?: number } = {};
  const baton = connect({
    url,
    patience: { tries: 1 },
    ...(apiKey !== undefined && { key: apiKey }),
    fetch: async (address, init) => {
      const response = await fetch(address, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
      const ahead = clockAhead(response.headers.get('date'), Date.now());
      if (ahead !== undefined) clock.aheadMs = ahead;
      return response;
    },
  });
  const readiness = await orUndefined(baton.host.readiness());
  if (readiness === undefined)
    return { facts: { url, state: (await isPortFree(url)) ? 'silent' : 'port-used' } };
  const key = apiKey === undefined ? 'none' : await keyState(baton);
  const models = key === 'accepted' ? await orUndefined(baton.models()) : undefined;
  const known = key === 'accepted' ? await orUndefined(baton.peers()) : undefined;
  return {
    facts: {
      url,
      state: readiness.ready ? 'ready' : 'not-ready',
      reason: readiness.status,
      key,
      ...(clock.aheadMs !== undefined && { clockAheadMs: clock.aheadMs }),
      ...(readiness.heldRuns !== undefined && { heldRuns: readiness.heldRuns }),
    },
    ...(models && {
      providers: models.providers.map(({ provider, kind, state, lastFault }) => ({
        provider,
        kind,
        state,
        ...(lastFault && { lastFault: lastFault.code }),
      })),
    }),
    ...(known && { peers: known.peers }),
  };
}

/** The header has whole seconds, so a clock that agrees may seem to be up to a second behind. */
export function clockAhead(date: string | null, now: number): number | undefined {
  const theirs = date === null ? Number.NaN : Date.parse(date);
  return Number.isNaN(theirs) ? undefined : theirs + 500 - now;
}

async function keyState(baton: Baton): Promise<'accepted' | 'refused'> {
  try {
    await baton.workflows.list();
    return 'accepted';
  } catch (error) {
    // A key without this scope is a key of the host all the same.
    return error instanceof BatonError && error.code === 'forbidden' ? 'accepted' : 'refused';
  }
}

async function orUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch {
    return undefined;
  }
}

/** Only a port of this machine can be tried. */
async function isPortFree(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    server.listen(
      { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80), exclusive: true },
      () => {
        server.close(() => resolve(true));
      },
    );
  });
}
