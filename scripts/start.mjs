import './node-version.mjs';
import { commandOrUsage } from './command-help.mjs';
import { ensureReady } from './ready.mjs';
import { isHelpAsked } from './usage.mjs';

const USAGE = `npm start                        a host with the examples
npm start -- --port 0 --data x   the same with options of \`baton serve\`

docs/reference/settings.md lists the options, and so does this command after the first start.`;

if (isHelpAsked()) await commandOrUsage(USAGE);
else await ensureReady();
// It is loaded only now, because it may have been built just before.
await import('./serve-examples.mjs');
