import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATOR_KEY, type TestHost } from '../http/host.ts';
import { EXAMPLES, startExampleHost } from './example-host.ts';

/** The commands about agents in the READMEs, as a newcomer enters them: one block after the other. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

let host: TestHost;
beforeAll(async () => {
  host = await startExampleHost();
});
afterAll(() => host?.stop());

/** As in docs/how-to/api.md, with the key of the test. */
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
  return [...readme.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block as string);
}

async function entered(script: string): Promise<string> {
  const { stdout } = await run('bash', ['-ec', `${TOUR}\n${script}`], {
    cwd: ROOT,
    timeout: 50_000,
    env: { ...process.env, URL: `${host.url}/v1`, BATON_DATA: host.folder },
  });
  return stdout;
}

it('the page about agents runs an agent with one command', async () => {
  const blocks = blocksOf(readFileSync(`${ROOT}/docs/how-to/agents.md`, 'utf8'));
  expect(blocks).toHaveLength(1);
  const [agents, snapshot] = (await entered(blocks.join('\n'))).trimEnd().split('\n');
  expect(JSON.parse(agents as string).total).toBe(12);
  expect(JSON.parse(snapshot as string)).toMatchObject({
    status: 'completed',
    variables: { verdict: 'change', findings: [{ severity: 'high' }] },
  });
});

it.each([
  ['research-team', { report: expect.stringContaining('Street trees') }],
  ['support-triage', { reply: expect.stringContaining('within two days') }],
  ['code-review-panel', { outcome: 'posted: change' }],
])('the README of %s leads to the end of its run', async (example, variables) => {
  const blocks = blocksOf(readFileSync(`${EXAMPLES}/${example}/README.md`, 'utf8'));
  const last = 'echo; api $URL/runs/$RUN';
  const script = [...blocks.flatMap((block) => [block, 'settled']), last].join('\n');
  const stdout = await entered(script);
  expect(stdout).not.toContain('"error":');
  const final = stdout.trimEnd().split('\n').at(-1) as string;
  expect(JSON.parse(final)).toMatchObject({ workflowId: example, status: 'completed', variables });
});
