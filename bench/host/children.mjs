import { spawn } from 'node:child_process';

/** All processes that the benchmark starts. They are ended when the benchmark ends, also after an error. */
const running = new Set();

export function startChild(script, { args = [], nodeFlags = [], env = process.env, ipc = false } = {}) {
  const child = spawn(process.execPath, [...nodeFlags, script, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? ['ipc'] : [])],
  });
  running.add(child);
  const errors = [];
  child.stderr.on('data', (text) => errors.push(text));
  const ended = new Promise((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal, errors: Buffer.concat(errors).toString().trim() });
    });
  });
  return { child, ended };
}

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
