import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { newDatabase } from '../../packages/store-postgres/testing/postgres-server.ts';
import { startDocumentedHost } from './documented-host.ts';
import { everySnippetOf } from './every-snippet.ts';
import { ROOT } from './pages.ts';
import { NPX_BATON, openShell, plainEnvironment } from './shell.ts';

/** The page about several hosts, as an operator follows it: a cluster on this machine, and hosts that share a database. */

/** `npm run cluster` without the installation and the build before it, which the tests have behind them. */
const NPM_RUN_CLUSTER = `
import { load } from '${join(ROOT, 'packages/cli/bin/entry.mjs')}';
const { main } = await load();
await main(['cluster', ...process.argv.slice(1)], {
  examplesFolder: '${join(ROOT, 'examples')}',
  program: '${join(ROOT, 'packages/cli/bin/baton.js')}',
  postgresFrom: '${join(ROOT, 'tools/postgres/package.json')}',
  restateFrom: '${join(ROOT, 'tools/restate/package.json')}',
});
`;

interface Running {
  /** Everything that it has written. */
  output(): string;
  /** Resolves with what was written as soon as it holds this. */
  says(what: RegExp): Promise<string>;
  stop(): Promise<void>;
}

function running(child: ChildProcess): Running {
  let output = '';
  let look = (): void => undefined;
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      look();
    });
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGINT');
    await exited;
  };
  onTestFinished(stop);
  return {
    output: () => output,
    says: (what) =>
      new Promise((resolve, reject) => {
        look = () => what.test(output) && resolve(output);
        look();
        void exited.then(() => reject(new Error(`It ended:\n${output}`)));
      }),
    stop,
  };
}

/** Below the ports that systems give to connections, so that no connection takes one before a host does. */
const PORTS = { from: 20_000, to: 32_000 };

/** The first of so many free ports in a row. */
async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from));
    const ports = Array.from({ length: count }, (_, at) => first + at);
    const servers = ports.map(() => createServer());
    const free = await Promise.all(servers.map((server, at) => listens(server, ports[at] ?? 0)));
    await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    if (!free.includes(false)) return first;
  }
}

function listens(server: Server, port: number): Promise<boolean> {
  return new Promise((done) => {
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => done(true));
  });
}

function folderOf(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  // Postgres runs as another user if this process is root.
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts what the page starts with `npm run cluster`, with two hosts, on free ports and in a folder of its own. */
async function startCluster(command: string): Promise<Running & { readonly urls: readonly string[] }> {
  const [, settings = '', given = ''] = /^((?:\w+=\S+ )*)npm run cluster(?: --(.*))?\n$/.exec(command) ?? [];
  const port = await freePorts(2);
  const args = given
    .replace('--hosts 3', '')
    .replace('--kill-one 5', '--kill-one 1')
    .split(' ')
    .filter(Boolean);
  const env = Object.fromEntries(
    settings
      .trim()
      .split(' ')
      .map((one) => one.split('=')),
  );
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', NPM_RUN_CLUSTER, '--', ...args, '--hosts', '2', '--port', String(port)],
    { cwd: folderOf('baton-cluster-'), env: { ...plainEnvironment(), ...env } },
  );
  const urls = [port, port + 1].map((one) => `http://127.0.0.1:${one}`);
  return { ...running(child), urls };
}

/** A host as `npx baton serve` starts it, with the settings that the snippet exports. */
function startServing(snippet: string, folder: string): Running {
  const baton = `npx() { ${NPX_BATON}; }`;
  return running(
    spawn('bash', ['-c', `${baton}\n${snippet}`], {
      cwd: folder,
      env: { ...plainEnvironment(), BATON_PORT: '0' },
    }),
  );
}

/** The words of a table's first line. */
const columnsOf = (table: string): readonly string[] => /^ +(host .*)$/m.exec(table)?.[1]?.split(/ +/) ?? [];

everySnippetOf(
  'docs/how-to/cluster.md',
  async (take) => {
    const cluster = await startCluster(take('sh'));
    await cluster.says(/In another terminal/);
    const [first = '', second = ''] = cluster.urls;
    const atHome = openShell({
      folder: ROOT,
      standIns: { 'http://127.0.0.1:4747': first, 'http://127.0.0.1:4748': second },
    });
    onTestFinished(() => atHome.close());
    const { out, failed } = await atHome.enter(take('sh'));
    expect(failed, out).toEqual([]);
    expect(out).toContain('completed');
    const table = take('');
    expect(columnsOf(out)).toEqual(columnsOf(table));
    expect(out).toContain(`*  ${hostname()}:${new URL(first).port}`);
    await cluster.stop();

    const killing = await startCluster(take('sh'));
    const said = await killing.says(/Port \d+ is back/);
    for (const line of take('')
      .split('\n')
      .filter((text) => !text.includes(' runs, '))) {
      const shape = line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\d+/g, '\\d+');
      expect(said).toMatch(new RegExp(`^${shape}$`, 'm'));
    }
    await killing.stop();

    const url = await newDatabase();
    const folder = folderOf('baton-docs-');
    const serve = take('sh');
    const named = serve.replace(/postgres:\/\/\S+/, url);
    expect(named).not.toBe(serve);
    const hosts = [startServing(named, folder), startServing(named, folder)];
    const told = await Promise.all(hosts.map((host) => host.says(/address +http\S+/)));
    const [, address = ''] = /address +(http\S+)/.exec(told[0] ?? '') ?? [];
    const env = {
      BATON_DATABASE_URL: url,
      BATON_API_KEY: /BATON_API_KEY=(\S+)/.exec(serve)?.[1] ?? '',
    };
    const shell = openShell({ folder, env });
    onTestFinished(() => shell.close());
    const kept = await shell.enter(take('sh'));
    expect(kept.failed, kept.out).toEqual([]);
    expect(kept.out).toMatch(/acme +ada/);
    const both = await shell.enter(`npx baton hosts --json --url ${address.replace('0.0.0.0', '127.0.0.1')}`);
    expect(JSON.parse(both.out).hosts).toHaveLength(2);
    // All of it is in the database.
    expect(existsSync(join(folder, '.baton'))).toBe(false);
    expect((await shell.enter('npx baton backup today.db')).out).toContain('use pg_dump');
    for (const host of hosts) await host.stop();

    await movesData(take('sh'));

    const handing = await startCluster(take('sh'));
    const shown = await handing.says(/In another terminal/);
    const [, restateConsole = ''] = /Restate +(http\S+)/.exec(shown) ?? [];
    expect((await fetch(restateConsole)).status).toBe(200);
    await handing.stop();
    await startsWithoutRestate(take('sh'));
  },
  300_000,
);

/** The addresses of the page lead nowhere, and the host serves all the same. */
async function startsWithoutRestate(snippet: string): Promise<void> {
  const named = snippet.replace('0.0.0.0:9080', '127.0.0.1:0');
  expect(named).not.toBe(snippet);
  const database = `export BATON_DATABASE_URL=${await newDatabase()}\n`;
  const host = startServing(`${database}${named}`, folderOf('baton-docs-'));
  expect(await host.says(/address +http\S+/)).toContain('http');
  await host.stop();
}

/** A data folder with a run, whose host has stopped. */
async function movesData(snippet: string): Promise<void> {
  const host = await startDocumentedHost();
  onTestFinished(() => host.stop());
  const env = { BATON_DATABASE_URL: await newDatabase() };
  const shell = openShell({ folder: host.folder });
  onTestFinished(() => shell.close());
  const begun = await shell.enter('npx baton run hello');
  expect(begun.failed, begun.out).toEqual([]);
  process.kill(host.pid, 'SIGTERM');
  await expect.poll(() => isRunning(host.pid)).toBe(false);
  const moving = openShell({ folder: host.folder, env });
  onTestFinished(() => moving.close());
  const { out, failed } = await moving.enter(snippet);
  expect(failed, out).toEqual([]);
  expect(out).toMatch(/Moved 1 run, .*The audit chain is verified/s);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
