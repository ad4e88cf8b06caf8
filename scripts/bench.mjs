import './node-version.mjs';
import { spawnSync } from 'node:child_process';
import { readOptions } from '../bench/options.mjs';
import { inProject, ROOT } from './project.mjs';
import { ensureReady } from './ready.mjs';

// The benchmark reads them again. Here, a mistake is refused before anything is built.
readOptions();
await ensureReady();
const { status } = spawnSync(process.execPath, [inProject('bench', 'run.mjs'), ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
});
process.exit(status ?? 1);
