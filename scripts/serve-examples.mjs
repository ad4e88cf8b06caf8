import { load } from '../packages/cli/bin/entry.mjs';
import { inProject } from './project.mjs';

const { main } = await load();
// The examples are served where BATON_WORKFLOWS, BATON_AGENTS and BATON_TOOLS are not set.
await main(['serve', ...process.argv.slice(2)], { examplesFolder: inProject('examples') });
