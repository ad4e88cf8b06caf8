import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** One host of a cluster on this machine, as a process of its own. */
export interface HostProcess {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** How a process ended: with an exit code, or by a signal. */
interface HostEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

interface HostProcessOptions {
  readonly port: number;
  /** The program and the arguments before `serve`. */
  readonly command: readonly [program: string, ...args: string[]];
  readonly env: NodeJS.ProcessEnv;
  /** Told when the process ends by itself. */
  readonly onExit: (port: number, how: HostEnd) => void;
  /** Told each line that the host writes to standard error. */
  readonly onLine: (port: number, line: string) => void;
}

export function endedBy({ code, signal }: HostEnd): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}

/** Resolves when the host listens. */
export async function startHostProcess(options: HostProcessOptions): Promise<HostProcess> {
  const { port, env, onExit, onLine } = options;
  const [program, ...args] = options.command;
  const child = spawn(program, [...args, 'serve', '--port', String(port), '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    said.push(line);
    onLine(port, line);
  });
  const url = await readyUrl(child, port, said);
  let expected = false;
  child.once('exit', (code, signal) => {
    if (!expected) onExit(port, { code, signal });
  });
  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    expected = true;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exited;
  }
  return { port, url, pid: child.pid ?? 0, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

/**
 * The host writes its log to standard output, and an object with its address when it listens. A host that ends before
 * has written the reason to one of its streams, so both are read to their ends.
 */
function readyUrl(child: ChildProcess, port: number, said: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const failed = (code: number | null, signal: string | null) =>
      reject(
        new Error(
          [
            `The host on port ${port} ${endedBy({ code, signal })} before it was ready.`,
            ...said.slice(-5),
          ].join('\n'),
        ),
      );
    child.once('close', failed);
    child.once('error', reject);
    if (child.stdout === null) return;
    const lines = createInterface({ input: child.stdout }).on('line', (line) => {
      const { url, version } = JSON.parse(line) as { readonly url?: string; readonly version?: string };
      if (url === undefined || version === undefined) {
        said.push(line);
        return;
      }
      child.off('close', failed);
      lines.removeAllListeners('line');
      resolve(url);
    });
  });
}
