import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect } from 'vitest';
import { everySnippetOf, type Take } from '../docs/every-snippet.ts';
import { OPERATOR_KEY } from '../http/host.ts';
import { startExampleHost } from './example-host.ts';

/** The commands about agents in the READMEs, as a newcomer enters them: one block after the other. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const host = await startExampleHost();
afterAll(() => host?.stop());

/** As in docs/how-to/api.md, with the key of the test. */
const TOUR = `
api() { curl -sN -H "Authorization: Bearer ${OPERATOR_KEY}" -H 'Content-Type: application/json' "$@"; echo; }
id() { node -pe "JSON.parse(fs.readFileSync(0)).\${1:-runId}"; }
# A reader goes on when the run has ended or asks something.
settled() {
  until api $URL/runs/$RUN | node -e 'process.exit(/^(waiting-|completed|failed)/.test(JSON.parse(fs.readFileSync(0)).status) ? 0 : 1)'
  do :; done
}
`;

async function entered(script: string): Promise<string> {
  const { stdout } = await run('bash', ['-ec', `${TOUR}\n${script}`], {
    cwd: ROOT,
    timeout: 50_000,
    env: { ...process.env, URL: `${host.url}/v1`, BATON_DATA: host.folder },
  });
  return stdout;
}

everySnippetOf('docs/how-to/agents.md', async (take) => {
  const [agents, snapshot] = (await entered(take('sh'))).trimEnd().split('\n');
  expect(JSON.parse(agents as string).total).toBe(12);
  expect(JSON.parse(snapshot as string)).toMatchObject({
    status: 'completed',
    variables: { verdict: 'change', findings: [{ severity: 'high' }] },
  });
  const registered = await host.post('/v1/agents', { manifest: JSON.parse(take('json')) });
  expect(registered).toMatchObject({ status: 201, body: { agentId: 'local.desk.writer' } });
});

/** Enters all snippets, each when the run has ended or asks something. */
async function runsToItsEnd(take: Take, snippets: number, example: string, variables: object): Promise<void> {
  const blocks = Array.from({ length: snippets }, () => take('sh'));
  const last = 'echo; api $URL/runs/$RUN';
  const script = [...blocks.flatMap((block) => [block, 'settled']), last].join('\n');
  const stdout = await entered(script);
  expect(stdout).not.toContain('"error":');
  const final = stdout.trimEnd().split('\n').at(-1) as string;
  expect(JSON.parse(final)).toMatchObject({ workflowId: example, status: 'completed', variables });
}

everySnippetOf('examples/research-team/README.md', (take) =>
  runsToItsEnd(take, 4, 'research-team', { report: expect.stringContaining('Street trees') }),
);
everySnippetOf('examples/support-triage/README.md', (take) =>
  runsToItsEnd(take, 5, 'support-triage', { reply: expect.stringContaining('within two days') }),
);
everySnippetOf('examples/code-review-panel/README.md', (take) =>
  runsToItsEnd(take, 4, 'code-review-panel', { outcome: 'posted: change' }),
);
