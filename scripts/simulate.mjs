import './node-version.mjs';
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { inProject, ROOT } from './project.mjs';
import { ensureReady } from './ready.mjs';

/**
 * `--seed N` shows one simulation step by step; `--for 10m` tries new seeds for ten minutes. With `--postgres` several
 * hosts share a simulated Postgres, and for some seeds a simulated Restate.
 */
const USAGE = 'npm run simulate -- [--postgres] [--seed <number> | --for <number>s|m|h]';
const MS = { s: 1000, m: 60_000, h: 3_600_000 };

const { values } = parseArgs({
  options: { seed: { type: 'string' }, for: { type: 'string' }, postgres: { type: 'boolean' } },
});
const seed = /^\d{1,15}$/.exec(values.seed ?? '0');
const duration = /^(\d{1,6})([smh])$/.exec(values.for ?? '1m');
if (seed === null || duration === null) {
  console.error(USAGE);
  process.exit(2);
}
await ensureReady();
const [, number, unit] = duration;
const env = {
  ...process.env,
  BATON_SIMULATE_MS: String(Number(number) * MS[unit]),
  ...(values.postgres && { BATON_SIMULATE_MODE: 'postgres' }),
  ...(values.seed !== undefined && { BATON_SIMULATE_SEED: values.seed }),
};
const vitest = inProject('node_modules', 'vitest', 'vitest.mjs');
const config = ['--config', inProject('tests', 'simulator', 'by-hand.config.ts')];
const { status } = spawnSync(process.execPath, [vitest, 'run', ...config], {
  cwd: ROOT,
  stdio: 'inherit',
  env,
});
process.exit(status ?? 1);
