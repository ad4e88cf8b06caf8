import './node-version.mjs';
import { inProject } from './project.mjs';
import { ensureReady } from './ready.mjs';

ensureReady();
const { main } = await import('../packages/cli/dist/main.js');
// The examples are served where BATON_WORKFLOWS, BATON_AGENTS and BATON_TOOLS are not set.
await main(['serve', ...process.argv.slice(2)], { examplesFolder: inProject('examples') });
