import { spawnSync } from 'node:child_process';

/** Runs npm in a folder, the npm that runs this script if there is one. */
export function npm(folder, ...args) {
  return npmWithin(undefined, folder, ...args);
}

/**
 * The same, but npm is stopped after some time, and then the status is null. While it waits for a registry, it ends by
 * no lesser signal.
 */
export function npmWithin(milliseconds, folder, ...args) {
  const script = process.env.npm_execpath;
  // The compiler is a development dependency, which NODE_ENV=production would leave out.
  // `npm start --silent` hands its log level on to this npm, which would then fail without an explanation.
  const given = [...args, '--include=dev', '--loglevel=notice', '--no-progress', '--no-fund', '--no-audit'];
  const stopped = { timeout: milliseconds, killSignal: 'SIGKILL' };
  const options = { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, ...stopped };
  const result =
    script?.endsWith('npm-cli.js') === true
      ? spawnSync(process.execPath, [script, ...given], options)
      : spawnSync('npm', given, { ...options, shell: process.platform === 'win32' });
  return {
    command: `npm ${args.join(' ')}`,
    status: result.status,
    output: `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`,
  };
}

/** All of it: npm names the reason first and then prints a page of usage. */
export function told({ command, status, output }) {
  return `${command} ended with exit code ${status}:\n${output.trim()}`;
}
