import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A host in a process of its own, to be killed without warning. */
export interface HostProcess {
  readonly url: string;
  readonly process: ChildProcess;
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
}

export const API_KEY = 'a-key-for-the-crash-tests';
const BATON = fileURLToPath(new URL('../../packages/cli/bin/baton.js', import.meta.url));

export async function startProcess(
  dataFolder: string,
  workflowsFolder: string,
  env: Record<string, string> = {},
): Promise<HostProcess> {
  const child = spawn(process.execPath, [BATON, 'serve'], {
    env: {
      ...process.env,
      BATON_PORT: '0',
      BATON_DATA: dataFolder,
      BATON_API_KEY: API_KEY,
      BATON_WORKFLOWS: workflowsFolder,
      BATON_TEST_SEAMS: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const found = /(?<=address +)http:\/\/127\.0\.0\.1:\d+/.exec(output);
      if (found) resolve(found[0]);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    void exited.then((code) => reject(new Error(`the host ended with ${code}: ${output}`)));
  });
  return {
    url,
    process: child,
    kill(signal) {
      child.kill(signal);
      return exited;
    },
  };
}

export async function call(url: string, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${API_KEY}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      accept: 'application/json',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}
