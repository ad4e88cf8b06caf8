import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './pages.ts';
import { plainEnvironment } from './shell.ts';

/** A host with the examples, as `npm start` starts it, in a folder of its own where readers enter commands. */

export interface DocumentedHost {
  readonly folder: string;
  url: string;
  pid: number;
  /** Starts the host again with the same folder, after it was killed or stopped. */
  again(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * `npm start` without the installation and the build before it, which the tests have behind them. npm would also change
 * to the folder of the project. The shell becomes the host, so both have the same process id.
 */
const NPM_START = `npm() { exec '${process.execPath}' '${join(ROOT, 'scripts/serve-examples.mjs')}'; }`;

export async function startDocumentedHost({
  env = {},
  command = 'npm start',
  files = {},
}: {
  readonly env?: Readonly<Record<string, string>>;
  /** How a page starts the host: `npm start`, with settings before it. */
  readonly command?: string;
  /** Files of the folder, which only their owner can read. */
  readonly files?: Readonly<Record<string, string>>;
} = {}): Promise<DocumentedHost> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-docs-'));
  // The tools of the examples are started by their path below the folder of the host.
  symlinkSync(join(ROOT, 'examples'), join(folder, 'examples'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  let child: ChildProcess;
  const start = async () => {
    child = spawn('bash', ['-c', `${NPM_START}\n${command}`], {
      cwd: folder,
      env: { ...plainEnvironment(), BATON_PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    host.url = await addressOf(child);
    host.pid = child.pid as number;
  };
  const host: DocumentedHost = {
    folder,
    url: '',
    pid: 0,
    async again() {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await start();
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await start();
  return host;
}

function addressOf(child: ChildProcess): Promise<string> {
  let written = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      written += chunk.toString();
      const [, url] = /address +(https?:\S+)/.exec(written) ?? [];
      if (url !== undefined && written.includes('npx baton inbox')) resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`The host ended with ${code}:\n${written}`)));
  });
}
