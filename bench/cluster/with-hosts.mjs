import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { startHost } from '../host/host-process.mjs';
import { register } from '../host/with-host.mjs';
import { withPostgres } from '../postgres/with-postgres.mjs';

/**
 * Runs `use` with hosts that share a new Postgres server and know these workflows. `settingsOf` gives the settings of
 * the host with this number. Hosts that are still there afterwards are ended.
 */
export async function withHosts(count, workflows, { nodeFlags = [], settingsOf = () => ({}) }, use) {
  return withPostgres(async (postgres) => {
    const url = await postgres.newDatabase();
    const folder = makeDataFolder();
    const hosts = [];
    try {
      while (hosts.length < count)
        hosts.push(
          await startHost(folder, nodeFlags, {
            BATON_DATABASE_URL: url,
            // Hosts that share a database refuse node types for tests.
            BATON_TEST_SEAMS: undefined,
            ...settingsOf(hosts.length),
          }),
        );
      await register(hosts[0].port, workflows);
      return await use(hosts, postgres);
    } finally {
      await Promise.all(hosts.map(end));
      removeDataFolder(folder);
    }
  });
}

/** In order, so that a profile is written. A host that was stopped or killed on purpose must not delay the end. */
async function end(host) {
  host.signal('SIGCONT');
  host.signal('SIGTERM');
  const late = setTimeout(() => host.signal('SIGKILL'), 10_000);
  await host.ended;
  clearTimeout(late);
}
