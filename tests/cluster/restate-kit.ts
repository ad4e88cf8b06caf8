import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  freePorts,
  type OwnRestate,
  restateFrom,
  startBalancer,
  startOwnRestate,
} from '../../packages/scheduler-restate/src/server/own-server.ts';

/** A real Restate for the hosts of a cluster, which can be lost together with its disk. */
export interface RestateKit {
  server(): OwnRestate;
  /** The settings of a new host. A host with kinds of its own is a pool for itself. */
  join(env: Readonly<Record<string, string>>): Promise<JoinedHost>;
  /** Ends Restate as in a power cut. */
  kill(how?: 'with its disk'): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface JoinedHost {
  readonly env: Readonly<Record<string, string>>;
  leave(): void;
}

const INSTALLED = fileURLToPath(new URL('../../tools/restate/package.json', import.meta.url));

export async function startRestateKit(parent: string): Promise<RestateKit> {
  const program = restateFrom(INSTALLED);
  if (program === undefined) throw new Error('Restate is not installed: run the tests with "npm test"');
  const folder = join(parent, 'restate');
  const ports = await freePorts();
  let server = await startOwnRestate({ program, folder, ports });
  const pool = new Set<number>();
  const balancer = await startBalancer(() => [...pool]);
  return {
    server: () => server,
    async join(env) {
      const { ingress: port } = await freePorts();
      const isApart = env.BATON_PERFORM !== undefined;
      if (!isApart) pool.add(port);
      return {
        env: {
          BATON_RESTATE_URL: server.url,
          BATON_RESTATE_ADMIN: server.adminUrl,
          BATON_RESTATE_ENDPOINT: isApart ? `http://127.0.0.1:${port}` : balancer.url,
          BATON_RESTATE_LISTEN: `127.0.0.1:${port}`,
        },
        leave: () => void pool.delete(port),
      };
    },
    async kill(how) {
      await server.stop();
      if (how === 'with its disk') rmSync(folder, { recursive: true, force: true });
    },
    async start() {
      server = await startOwnRestate({ program, folder, ports });
    },
    async stop() {
      await balancer.stop();
      await server.stop();
    },
  };
}
