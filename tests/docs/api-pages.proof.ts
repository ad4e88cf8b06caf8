import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { startReceiver } from '../webhooks/receiver.ts';
import { type DocumentedHost, startDocumentedHost } from './documented-host.ts';
import { everySnippetOf, snippetsOf } from './every-snippet.ts';
import { ROOT } from './pages.ts';
import { asProgram, openShell, type Shell } from './shell.ts';

// The page about A2A shows how this host is started. Its files are those of the other pages.
const [start] = snippetsOf('docs/how-to/a2a.md');
const [secrets] = snippetsOf('docs/how-to/secrets.md');
const [, , budgets] = snippetsOf('docs/how-to/budgets.md');
/** The pages that call the API with curl, as a reader enters them in the folder of the host. */
const host: DocumentedHost = await startDocumentedHost({
  command: start?.text ?? '',
  env: {
    BATON_WEBHOOK_PRIVATE: '1',
    BATON_SECRETS_FILE: 'secrets.json',
    BATON_BUDGETS: 'budgets.json',
  },
  files: { 'secrets.json': secrets?.text ?? '', 'budgets.json': budgets?.text ?? '' },
});
afterAll(() => host?.stop());

function shellHere(standIns: Readonly<Record<string, string>> = {}): Shell {
  return openShell({
    folder: host.folder,
    standIns: { 'http://127.0.0.1:4747': host.url, ...standIns },
  });
}

/** The other pages use the functions of the page about the API. */
async function shellWithApi(standIns?: Readonly<Record<string, string>>): Promise<Shell> {
  const shell = shellHere(standIns);
  const [functions] = snippetsOf('docs/how-to/api.md');
  await shell.enter(functions?.text ?? '');
  return shell;
}

/** The answers of the host, one a line. */
const answers = (out: string) =>
  out
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

everySnippetOf('docs/how-to/api.md', async (take) => {
  const { enter, close } = shellHere();
  expect(await enter(take('sh'))).toEqual({ out: '', failed: [] });
  const entered = async () => {
    const { out, failed } = await enter(take('sh'));
    expect(failed).toEqual([]);
    return out;
  };
  expect(await entered()).toContain('"greeting":"Hello, Ada!"');
  expect(await entered()).toContain('run.completed');
  const [inbox, , released] = answers(await entered());
  expect(inbox.interrupts).toHaveLength(1);
  expect(released).toMatchObject({ workflowId: 'release-approval', status: 'completed' });
  const [one, two] = answers(await entered());
  expect(one.runId).toBe(two.runId);
  expect(await entered()).toContain('High water at noon.');
  await close();
});

everySnippetOf('docs/how-to/webhooks.md', async (take) => {
  const receiver = await startReceiver();
  const { enter, close } = await shellWithApi({ 'https://example.com/hook': receiver.url });
  const { out, failed } = await enter(take('sh'));
  expect(failed).toEqual([]);
  const [pinged, letters, redelivered] = answers(out);
  expect(pinged).not.toHaveProperty('error');
  const [ping] = await receiver.count(1);
  expect(ping?.headers).toHaveProperty('webhook-signature');
  expect(letters).toMatchObject({ deadLetters: [] });
  expect(redelivered).not.toHaveProperty('error');
  await close();
});

everySnippetOf('docs/how-to/secrets.md', async (take) => {
  const { enter, close } = await shellWithApi();
  const { WEB_TOKEN } = JSON.parse(take('json'))['*'];
  expect((await enter(`npx baton run hello --input name=${WEB_TOKEN}`)).out).toContain(
    '[REDACTED:WEB_TOKEN]',
  );
  const { out, failed } = await enter(take('sh'));
  expect(failed).toEqual([]);
  expect(out).toContain('OPENAI_API_KEY');
  expect(out).not.toContain('<the key>');
  expect(out).not.toContain('"error"');
  writeFileSync(join(host.folder, 'charge.json'), take('json'));
  const charged = await enter(take('sh'));
  expect(charged.failed).toEqual([]);
  expect(charged.out).toContain('"card":"[REDACTED]"');
  expect(charged.out).toContain('waiting-');
  await close();
});

everySnippetOf('docs/how-to/budgets.md', async (take) => {
  const { enter, close } = await shellWithApi();
  const [run] = answers((await enter(take('sh'))).out);
  expect(run).toMatchObject({ status: 'failed', error: { code: 'budget_exhausted' } });
  const [agent] = answers((await enter(`api $URL/agents -d '{"manifest": ${take('json')}}'`)).out);
  expect(agent, JSON.stringify(agent)).toMatchObject({ agentId: 'local.desk.writer' });
  const { '*': others } = JSON.parse(take('json'));
  const [usage] = answers((await enter(take('sh'))).out);
  expect(usage.periods).toContainEqual(expect.objectContaining({ period: 'day', limits: others.day }));
  await close();
});

everySnippetOf('docs/how-to/a2a.md', async (take) => {
  const { enter, close } = await shellWithApi();
  expect(take('sh')).toMatch(/^BATON_PUBLISH=\S+ npm start\n$/);
  const [card, answer] = answers((await enter(take('sh'))).out);
  expect(card.skills.map(({ id }: { id: string }) => id)).toEqual([
    'hello',
    'local.code-review-panel.security',
  ]);
  expect(answer.result.task).toMatchObject({
    status: { state: 'TASK_STATE_COMPLETED' },
    artifacts: [{ name: 'outputs', parts: [{ data: { greeting: 'Hello, Ada!' } }] }],
  });
  await close();
});

everySnippetOf('docs/how-to/mcp.md', async (take) => {
  const key = readFileSync(join(host.folder, '.baton/dev-key'), 'utf8').trim();
  const standIns = { 'http://127.0.0.1:4747': host.url, 'a-key': key };
  const { enter, close } = openShell({ folder: ROOT, standIns });
  const { out, failed } = await enter(asProgram(take('ts')));
  expect(failed, out).toEqual([]);
  expect(out).toMatch(/'baton_start'.*greeting: 'Hello, Ada!'/s);
  await close();
});
