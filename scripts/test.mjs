import './node-version.mjs';
import { answerHelp } from './usage.mjs';
import { readyForTests, runVitest } from './vitest.mjs';

const USAGE = `npm test                              the tests to run while working
npm test -- packages/cli              the tests below a path
npm test -- tests/http -t 'a name'    the tests whose name matches
npm test -- --sequence.seed=7         the files in another order; every other option of Vitest works, too

\`npm run proof\` runs everything, at full size.`;

answerHelp(USAGE);
const options = process.argv.slice(2);
await readyForTests();
const { status, record } = await runVitest(options, { record: 'test', BATON_PROOF: '' });
if (record !== undefined) console.log(`${record.passed} passed, ${record.failed} failed`);
process.exit(status);
