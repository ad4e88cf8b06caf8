import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The reference MCP server of the 2025 version, as a process of its own. */

export interface EverythingHttp {
  readonly port: number;
  readonly url: string;
  kill(): Promise<void>;
}

/** With a port it is started where an earlier one was. */
export async function startEverything(port = 0): Promise<EverythingHttp> {
  const child: ChildProcess = fork(fileURLToPath(new URL('everything-http.mjs', import.meta.url)), [], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const [message] = (await once(child, 'message')) as [{ port: number }];
  return {
    port: message.port,
    url: `http://127.0.0.1:${message.port}/mcp`,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
