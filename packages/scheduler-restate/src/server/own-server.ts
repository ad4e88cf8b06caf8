import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';

export { startBalancer } from './balancer.ts';

/**
 * A Restate server on this machine, for tests, benchmarks and a cluster on one laptop. It listens on 127.0.0.1 only,
 * sends no telemetry, and ends with the process that has started it.
 */
export interface OwnRestate {
  /** Takes invocations. */
  readonly url: string;
  /** The admin API and the console. */
  readonly adminUrl: string;
  pid(): number;
  /** Resolves when the process has ended, however it did. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

interface Ports {
  readonly ingress: number;
  readonly admin: number;
  readonly node: number;
}

interface OwnRestateOptions {
  readonly program: string;
  /** Created if it is missing. */
  readonly folder: string;
  /** Free ports by default. */
  readonly ports?: Ports;
}

/** The package of this platform. The package above it would run a script that reports the installation. */
export const RESTATE_PACKAGE = `@restatedev/restate-server-${process.platform}-${process.arch}`;

/** Looks for the program from a file of the program that has installed its package. */
export function restateFrom(file: string): string | undefined {
  const searched = createRequire(file).resolve.paths(RESTATE_PACKAGE) ?? [];
  return searched
    .map((folder) => join(folder, RESTATE_PACKAGE, 'bin', 'restate-server'))
    .find((program) => existsSync(program));
}

export async function freePorts(): Promise<Ports> {
  const [ingress, admin, node] = await Promise.all([freePort(), freePort(), freePort()]);
  return { ingress, admin, node };
}

/** Ends the server when this process ends, even by SIGKILL: then the input of the shell ends. */
const WITH_PARENT = [
  'exec 3<&0',
  '"$@" </dev/null & server=$!',
  'echo $server',
  '(cat <&3 >/dev/null; kill -KILL $server 2>/dev/null) & watcher=$!',
  'wait $server; code=$?',
  'kill $watcher 2>/dev/null; exit $code',
].join('\n');

export async function startOwnRestate(options: OwnRestateOptions): Promise<OwnRestate> {
  const { program, folder } = options;
  const ports = options.ports ?? (await freePorts());
  mkdirSync(folder, { recursive: true });
  const args = ['--no-logo', '--node-name', 'baton', '--base-dir', folder];
  const child = spawn('/bin/sh', ['-c', WITH_PARENT, 'sh', program, ...args], {
    env: environmentOf(ports),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const told = outputOf(child);
  const adminUrl = `http://127.0.0.1:${ports.admin}`;
  const url = `http://127.0.0.1:${ports.ingress}`;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await ready(child, [`${adminUrl}/health`, `${url}/restate/health`], told);
  return {
    url,
    adminUrl,
    pid: () => Number(told().split('\n')[0]),
    ended,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.stdin?.end();
      await ended;
    },
  };
}

function environmentOf({ ingress, admin, node }: Ports): Readonly<Record<string, string>> {
  return {
    DO_NOT_TRACK: '1',
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_BIND_IP: '127.0.0.1',
    RESTATE_BIND_PORT: String(node),
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_LOG_FILTER: 'warn',
    // A host that hangs is noticed after seconds. The default is a minute.
    RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL: '1s',
    RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT: '2s',
    // The balancer chooses a host for each connection, so one connection must not carry all calls.
    RESTATE_WORKER__INVOKER__HTTP2_STREAMS_PER_CONNECTION_LIMIT: '8',
    // A call that a host performs is open all the time.
    RESTATE_WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT: '20000',
  };
}

const LOOK_EVERY_MS = 50;
const READY_WITHIN_MS = 60_000;

async function ready(child: ChildProcess, addresses: readonly string[], told: () => string): Promise<void> {
  const end = performance.now() + READY_WITHIN_MS;
  for (;;) {
    if (child.exitCode !== null || performance.now() > end) {
      child.stdin?.end();
      throw new Error(`Restate did not start: ${told().trim().slice(-2000)}`);
    }
    const answers = await Promise.all(addresses.map((address) => fetch(address).catch(() => undefined)));
    if (answers.every((answer) => answer?.ok === true)) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** The beginning of the output of a process. */
function outputOf(child: ChildProcess): () => string {
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
