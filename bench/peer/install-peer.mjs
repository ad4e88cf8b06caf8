import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmWithin } from '../../scripts/npm.mjs';
import { hashOf } from '../../scripts/project.mjs';

/**
 * Alternatives are not dependencies of this project. Each has a folder with a lock file of its own, and is installed
 * there at the first comparison with it.
 */

const PATIENCE_MS = 60_000;
/** So many lines of npm's errors are shown. The first ones name the reason. */
const REASONS = 6;
/** Otherwise npm repeats a refused request for longer than that, and could not say what was refused. */
const IMPATIENT = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000'];

/** `place` is the address of the folder; `afterwards` is called after an installation. */
export function peer(name, place, packageName, afterwards = () => undefined) {
  const folder = fileURLToPath(place);
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const title = `${name} ${dependencies[packageName]}`;
  return {
    title,
    /** Undefined if the packages are there or could be installed, else the reason why not. */
    whyMissing: (progress) => whyMissing({ title, folder, afterwards }, progress),
  };
}

function whyMissing({ title, folder, afterwards }, progress) {
  const locked = hashOf(readFileSync(join(folder, 'package-lock.json')));
  // It is beside what it describes, so npm removes it at the beginning of an installation.
  const stamp = join(folder, 'node_modules', '.baton-installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === locked) return undefined;
  progress(`installing ${title}, once`);
  const { status, output } = npmWithin(PATIENCE_MS, folder, 'ci', '--ignore-scripts', ...IMPATIENT);
  if (status === 0) {
    afterwards(folder);
    writeFileSync(stamp, locked);
    return undefined;
  }
  const why =
    status === null ? `npm was stopped after ${PATIENCE_MS / 1000} s` : `npm ended with exit code ${status}`;
  const said = output.split('\n').filter((line) => line.startsWith('npm error'));
  const reasons = said.slice(0, REASONS).map((line) => `\n${line}`);
  progress(
    `${title} could not be installed, so the benchmark goes on without it: ${why}.${reasons.join('')}`,
  );
  return 'could not be installed';
}
