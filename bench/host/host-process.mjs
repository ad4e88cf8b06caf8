import { fileURLToPath } from 'node:url';
import { API_KEY } from '../client/requests.mjs';
import { startChild } from './children.mjs';

/** A real host in a separate process, started as an operator would start it. */

const BATON = fileURLToPath(new URL('../../packages/cli/bin/baton.js', import.meta.url));
const START_PATIENCE_MS = 60_000;

/** `nodeFlags` are for Node itself, such as those of its profiler; `more` are settings of the measure. */
export async function startHost(dataFolder, nodeFlags = [], more = {}) {
  const spawned = performance.now();
  const { child, ended } = startChild(BATON, {
    args: ['serve'],
    nodeFlags,
    env: { ...settings(dataFolder), ...more },
  });
  const port = await printedPort(child, ended);
  return {
    port,
    pid: child.pid,
    /** Milliseconds from the start of the process to the address on its output. */
    startedIn: performance.now() - spawned,
    signal: (name) => child.kill(name),
    /** Resolves when the process has ended, however it did. */
    ended,
    async stop() {
      child.kill('SIGTERM');
      const { code, errors } = await ended;
      if (code !== 0) throw new Error(`the host ended with code ${code}: ${errors}`);
    },
  };
}

/** Only the settings of the benchmark. BATON_ variables of the caller would change the figures. */
function settings(dataFolder) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('BATON_'));
  return {
    ...Object.fromEntries(inherited),
    NODE_ENV: 'production',
    BATON_PORT: '0',
    BATON_DATA: dataFolder,
    BATON_API_KEY: API_KEY,
    BATON_LOG_LEVEL: 'error',
    // The only node type that performs an effect and nothing else is one for conformance suites.
    BATON_TEST_SEAMS: '1',
  };
}

/** Waits for the address that a host prints once it listens. */
export function printedPort(child, ended) {
  return new Promise((resolve, reject) => {
    let printed = '';
    const tooLate = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`no address was printed within ${START_PATIENCE_MS / 1000} s`));
    }, START_PATIENCE_MS);
    child.stdout.on('data', (text) => {
      printed += text;
      const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)?.[1];
      if (port === undefined) return;
      clearTimeout(tooLate);
      resolve(Number(port));
    });
    ended.then(({ code, errors }) => {
      clearTimeout(tooLate);
      reject(new Error(`the process ended with code ${code} before it listened: ${errors}`));
    });
  });
}
