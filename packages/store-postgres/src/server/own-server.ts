import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';

export { binariesFrom, PLATFORM_PACKAGE } from './binaries.ts';

/**
 * A Postgres server on this machine, for tests, benchmarks and a cluster on one laptop. It listens on 127.0.0.1 only
 * and ends with the process that has started it.
 */
export interface OwnServer {
  /** The address of a database of the server. */
  url(database?: string): string;
  readonly port: number;
  /** The process of the server itself. */
  pid(): number;
  /** Ends the server: in order, or as in a power cut. */
  stop(how?: 'in order' | 'at once'): Promise<void>;
}

interface OwnServerOptions {
  readonly binaries: Binaries;
  /** Created if it is missing. */
  readonly folder: string;
  /** A free port by default. */
  readonly port?: number;
  /** Settings of Postgres in addition to ours. */
  readonly settings?: Readonly<Record<string, string>>;
}

const USER = 'baton';
const PASSWORD_FILE = 'baton-password';
/** Postgres refuses to run as root. This is the user `nobody` of most systems. */
const NOBODY = 65534;

export async function startOwnServer(options: OwnServerOptions): Promise<OwnServer> {
  const { binaries, folder, settings = {} } = options;
  const port = options.port ?? (await freePort());
  await createCluster(binaries, folder);
  const password = readFileSync(join(folder, PASSWORD_FILE), 'utf8').trim();
  const server = await launch(binaries.postgres, [
    ...['-D', join(folder, 'data'), '-p', String(port)],
    ...Object.entries({ listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings }).flatMap(
      ([name, value]) => ['-c', `${name}=${value}`],
    ),
  ]);
  const pid = () => Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  return {
    port,
    url: (database = 'postgres') => `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`,
    pid,
    async stop(how = 'in order') {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
      process.kill(pid(), how === 'in order' ? 'SIGINT' : 'SIGQUIT');
      await ended;
    },
  };
}

/** Creates the files of a server, unless they are there. */
async function createCluster({ initdb }: Binaries, folder: string): Promise<void> {
  const data = join(folder, 'data');
  if (existsSync(join(data, 'PG_VERSION'))) return;
  mkdirSync(folder, { recursive: true });
  const secret = join(folder, PASSWORD_FILE);
  writeFileSync(secret, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600 });
  if (isRoot()) for (const path of [folder, secret]) chownSync(path, NOBODY, NOBODY);
  chmodSync(folder, 0o700);
  await finished(initdb, [
    ...['-D', data, '-U', USER, '--pwfile', secret, '--auth=scram-sha-256'],
    ...['--encoding=UTF8', '--locale=C', '--data-checksums', '--no-instructions'],
  ]);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

const asNobody = () => ({ cwd: '/', ...(isRoot() && { uid: NOBODY, gid: NOBODY }) });

async function finished(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { ...asNobody(), stdio: ['ignore', 'pipe', 'pipe'] });
  const output = told(child);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${program} ended with exit code ${code}: ${output().trim()}`);
}

/**
 * Starts the server below a shell that waits for the end of its input. When this process ends, even by SIGKILL, the
 * input ends too, and the shell stops the server.
 */
const WITH_PARENT = [
  'exec 3<&0',
  '"$@" </dev/null & server=$!',
  '(cat <&3 >/dev/null; kill -INT $server 2>/dev/null) & watcher=$!',
  'wait $server; code=$?',
  'kill $watcher 2>/dev/null; exit $code',
].join('\n');

async function launch(program: string, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn('/bin/sh', ['-c', WITH_PARENT, 'sh', program, ...args], {
    ...asNobody(),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const output = told(child);
  await new Promise<void>((resolve, reject) => {
    const failed = () => reject(new Error(`Postgres did not start: ${output().trim()}`));
    child.once('error', reject);
    child.once('exit', failed);
    child.stderr?.on('data', () => {
      // A standby accepts "read-only connections".
      if (!/ready to accept (read-only )?connections/.test(output())) return;
      child.off('exit', failed);
      resolve();
    });
  });
  return child;
}

/** The beginning of the output of a process. */
function told(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (part: Buffer) => {
      if (text.length < 16_384) text += String(part);
    });
  return () => text;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port was found');
  return address.port;
}
