import './node-version.mjs';
import { spawnSync } from 'node:child_process';
import { inProject, ROOT } from './project.mjs';
import { ensureReady } from './ready.mjs';
import { parsedOptions, refuse } from './usage.mjs';

const USAGE = `npm run simulate                  hosts over a hostile store, with new seeds for a minute
npm run simulate -- --for 10m     the same for ten minutes; s, m and h are seconds, minutes and hours
npm run simulate -- --seed 7      one seed, step by step
npm run simulate -- --postgres    several hosts share a simulated Postgres and, for some seeds, a Restate`;
const MS = { s: 1000, m: 60_000, h: 3_600_000 };

const { values } = parsedOptions(USAGE, {
  options: { seed: { type: 'string' }, for: { type: 'string' }, postgres: { type: 'boolean' } },
});
const seed = /^\d{1,15}$/.exec(values.seed ?? '0');
const duration = /^(\d{1,6})([smh])$/.exec(values.for ?? '1m');
if (seed === null) refuse('--seed takes a whole number of at most 15 digits.', USAGE);
if (duration === null) refuse('--for takes a time such as 30s, 10m or 2h.', USAGE);
if (values.seed !== undefined && values.for !== undefined) {
  refuse('--seed runs one simulation to its end, so --for cannot be given with it.', USAGE);
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
