import './node-version.mjs';
import { spawnSync } from 'node:child_process';
import { installPostgresWhenNeeded } from './postgres-servers.mjs';
import { inProject, ROOT } from './project.mjs';
import { ensureReady } from './ready.mjs';
import { installRestateWhenNeeded } from './restate-server.mjs';
import { installBrowserWhenNeeded } from './test-browser.mjs';

await ensureReady();
await installBrowserWhenNeeded();
await installPostgresWhenNeeded();
await installRestateWhenNeeded();
const vitest = inProject('node_modules', 'vitest', 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, BATON_ALWAYS_REFOLD: '1' },
});
process.exit(status ?? 1);
