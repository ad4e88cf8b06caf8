import './node-version.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { inProject, ROOT } from './project.mjs';
import { ensureReady } from './ready.mjs';

const bench = inProject('bench', 'run.mjs');
if (!existsSync(bench)) {
  console.error('There is no benchmark here: bench/run.mjs is missing.');
  process.exit(1);
}

await ensureReady();
const { status } = spawnSync(process.execPath, [bench, ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
});
process.exit(status ?? 1);
