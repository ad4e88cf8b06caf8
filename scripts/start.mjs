import './node-version.mjs';
import { inProject } from './project.mjs';
import { ensureReady } from './ready.mjs';

ensureReady();
const { main } = await import('../packages/cli/dist/main.js');
// Without BATON_WORKFLOWS and BATON_AGENTS, the host registers the examples.
const examples = inProject('examples');
await main(['serve', ...process.argv.slice(2)], { workflowsFolder: examples, agentsFolder: examples });
