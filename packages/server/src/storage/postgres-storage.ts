import type { Storage } from './storage.ts';

/** How often a host shows that it is at work. */
const TICK_MS = 250;

/** The storage of hosts that share a Postgres database. The driver of Postgres is loaded with the first use. */
export function postgresAt(url: string): Storage {
  const store = () => import('@baton/store-postgres');
  let hostNo = 0;

  async function using<T>(work: (keys: Awaited<ReturnType<typeof keysOf>>) => Promise<T>): Promise<T> {
    const { using: connected } = await store();
    return connected(url, async (database) => work(await keysOf(database)));
  }

  async function keysOf(database: Parameters<typeof import('@baton/store-postgres')['hostKeys']>[0]) {
    const { hostKeys } = await store();
    return hostKeys(database);
  }

  let prepared: Promise<void> | undefined;

  function prepare(): Promise<void> {
    const preparing = prepared ?? store().then(({ prepareDatabase }) => prepareDatabase(url));
    prepared = preparing;
    // The next use tries again.
    preparing.catch(() => {
      prepared = undefined;
    });
    return preparing;
  }

  return {
    name: nameOf(url),
    async lock(member) {
      await prepare();
      const { joinHosts } = await store();
      const membership = await joinHosts({ url, ...member, tickMs: TICK_MS });
      hostNo = membership.hostNo;
      return { membership, release: membership.leave };
    },
    prepare,
    openStore: async (number = hostNo) => (await store()).openPostgresStore(url, number),
    openReads: async (number = hostNo) => (await store()).openPostgresReads(url, number),
    async keepKey(name, make, isUsable) {
      await prepare();
      return using(({ keepKey }) => keepKey(name, make, isUsable));
    },
    readKey: (name) => using(({ readKey }) => readKey(name)),
    replaceKey: (name, text) => using(({ replaceKey }) => replaceKey(name, text)),
    async alone(work) {
      const { aloneIn } = await store();
      return aloneIn(url, work);
    },
    // Which tree a host had in hand when its process ended is not known to the others. A tree that hangs the engine or
    // ends its thread is held as elsewhere, because the process sees it.
    openInHand: async () => ({
      before: undefined,
      take: () => undefined,
      putDown: () => undefined,
      close: () => undefined,
    }),
    async endedSessions(now) {
      const { using: connected, readEndedSessions } = await store();
      return connected(url, (database) => readEndedSessions(database, now));
    },
    async addEndedSession(ended) {
      const { using: connected, addEndedSession, selfOf } = await store();
      await connected(url, (database) => addEndedSession(database, selfOf(hostNo), ended));
    },
    // A host of a cluster is found by its address, which is not left on the disk.
    leaveAddress: async () => undefined,
    removeAddress: async () => undefined,
    backup: () => Promise.reject(new Error(BACKUPS)),
    restore: () => Promise.reject(new Error(BACKUPS)),
  };
}

const BACKUPS =
  'the data are in Postgres, which has its own backups: use pg_dump and pg_restore, or the snapshots of your provider';

/** The address without its password. */
function nameOf(url: string): string {
  if (!URL.canParse(url)) return 'the database';
  const { hostname: server, port, pathname } = new URL(url);
  return `postgres://${server}${port === '' ? '' : `:${port}`}${pathname}`;
}
