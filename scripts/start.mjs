import './node-version.mjs';
import { inProject } from './project.mjs';
import { ensureReady } from './ready.mjs';

ensureReady();
const { main } = await import('../packages/cli/dist/main.js');
// Without BATON_WORKFLOWS, the host registers the examples.
await main(['serve', ...process.argv.slice(2)], { workflowsFolder: inProject('examples') });
