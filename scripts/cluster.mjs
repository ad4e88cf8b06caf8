import './node-version.mjs';
import { commandOrUsage } from './command-help.mjs';
import { installPostgresWhenNeeded, POSTGRES_FROM } from './postgres-servers.mjs';
import { inProject } from './project.mjs';
import { ensureReady } from './ready.mjs';
import { installRestateWhenNeeded, RESTATE_FROM } from './restate-server.mjs';
import { isHelpAsked } from './usage.mjs';

const USAGE = `npm run cluster                     three hosts that share one Postgres
npm run cluster -- --kill-one 5     the same with options of \`baton cluster\`

docs/reference/commands.md lists the options, and so does this command when it has been built.`;

if (isHelpAsked()) await commandOrUsage(USAGE);
else await ready();
// It is loaded only now, because it may have been built just before.
const { load } = await import('../packages/cli/bin/entry.mjs');
const { main } = await load();
await main(['cluster', ...process.argv.slice(2)], {
  examplesFolder: inProject('examples'),
  program: inProject('packages', 'cli', 'bin', 'baton.js'),
  postgresFrom: POSTGRES_FROM,
  restateFrom: RESTATE_FROM,
});

async function ready() {
  await ensureReady();
  if ((process.env.BATON_DATABASE_URL ?? '') === '') await installPostgresWhenNeeded();
  if (process.argv.includes('--restate')) await installRestateWhenNeeded();
}
