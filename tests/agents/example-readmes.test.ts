import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readTools } from '@baton/agents/tools-file';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { OPERATOR_KEY, startTestHost, type TestHost } from '../http/host.ts';

/** The commands in the READMEs of the examples, as a newcomer enters them: one block after the other. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EXAMPLES = `${ROOT}/examples`;
const run = promisify(execFile);

let host: TestHost;
beforeAll(async () => {
  const file = `${EXAMPLES}/support-triage/tools.json`;
  const reading = readTools({ name: file, text: readFileSync(file, 'utf8') }, {});
  if (!('config' in reading)) throw new Error(reading.problem);
  host = await startTestHost({
    workflowsFolder: EXAMPLES,
    agentsFolder: EXAMPLES,
    tools: reading.config,
    builtinWorkflows: [],
  });
  await vi.waitFor(
    async () => {
      const { body } = await host.get('/v1/agents/local.support-triage.triage');
      expect(body).not.toHaveProperty('degraded');
    },
    { timeout: 20_000 },
  );
});
afterAll(() => host?.stop());

/** As in the tour of the README, with the key of the test. */
const TOUR = `
api() { curl -sN -H "Authorization: Bearer ${OPERATOR_KEY}" -H 'Content-Type: application/json' "$@"; echo; }
id() { node -pe 'JSON.parse(fs.readFileSync(0)).runId'; }
# A reader goes on when the run has ended or asks something.
settled() {
  until api $URL/runs/$RUN | node -e 'process.exit(/^(waiting-|completed|failed)/.test(JSON.parse(fs.readFileSync(0)).status) ? 0 : 1)'
  do :; done
}
`;

function blocksOf(readme: string): string[] {
  return [...readme.matchAll(/^\`\`\`sh\n(.*?)^\`\`\`/gms)].map(([, block]) => block as string);
}

it.each([
  ['research-team', { report: expect.stringContaining('Street trees') }],
  ['support-triage', { reply: expect.stringContaining('within two days') }],
  ['code-review-panel', { outcome: 'posted: change' }],
])('the README of %s leads to the end of its run', async (example, variables) => {
  const blocks = blocksOf(readFileSync(`${EXAMPLES}/${example}/README.md`, 'utf8'));
  const last = 'echo; api $URL/runs/$RUN';
  const script = [TOUR, ...blocks.flatMap((block) => [block, 'settled']), last].join('\n');
  const { stdout } = await run('bash', ['-ec', script], {
    cwd: ROOT,
    timeout: 50_000,
    env: { ...process.env, URL: `${host.url}/v1`, BATON_DATA: host.folder },
  });
  expect(stdout).not.toContain('"error":');
  const final = stdout.trimEnd().split('\n').at(-1) as string;
  expect(JSON.parse(final)).toMatchObject({ workflowId: example, status: 'completed', variables });
});
