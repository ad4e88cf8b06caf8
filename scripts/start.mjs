import './node-version.mjs';
import { inProject } from './project.mjs';
import { ensureReady } from './ready.mjs';

ensureReady();
const { main } = await import('../packages/cli/dist/main.js');
// A newcomer finds something to run; whoever sets BATON_WORKFLOWS gets those workflows instead.
await main(['serve', ...process.argv.slice(2)], { workflowsFolder: inProject('examples') });
