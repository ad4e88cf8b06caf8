import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startExampleHost } from '../agents/example-host.ts';
import { OPERATOR_KEY, type TestHost } from '../http/host.ts';

/** The commands of the README and of the page about the API, as a newcomer enters them: one block after the other. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BATON = fileURLToPath(new URL('../../packages/cli/bin/baton.js', import.meta.url));

let host: TestHost;
beforeAll(async () => {
  host = await startExampleHost();
});
afterAll(() => host?.stop());

function blocksOf(file: string): readonly string[] {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block as string);
}

function entered(script: string): Promise<{ code: number; out: string }> {
  const tools = `npx() { shift; '${process.execPath}' '${BATON}' "$@"; }\n`;
  const env = { ...process.env, BATON_URL: host.url, BATON_API_KEY: OPERATOR_KEY, NO_COLOR: '1' };
  return new Promise((done) => {
    execFile('bash', ['-c', tools + script], { cwd: ROOT, env, timeout: 50_000 }, (error, out) => {
      done({ code: error === null ? 0 : Number(error.code ?? 1), out });
    });
  });
}

const WAITS = 4;

it('the tour of the README leads to the results that it tells of', async () => {
  const [first, hello, desk, kill, tail, vetted, approve, back, replay, agents] = blocksOf('README.md');
  expect(first).toBe('npm start\nnpm test\n');
  expect((await entered(hello ?? '')).out).toContain('Hello, Ada!');
  expect(await entered(desk ?? '')).toMatchObject({ code: 0, out: expect.stringContaining('On tides:') });
  // This host must not be killed; tests/crash kills hosts.
  const RUN = (await entered('npx baton run research-desk --detach')).out.trim();
  expect(kill).toContain('npx baton run research-desk --detach');
  expect((await entered(`RUN=${RUN}\n${tail}`)).out).toContain('completed');

  const waiting = await entered(vetted ?? '');
  expect(waiting.code).toBe(WAITS);
  const [runId = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(waiting.out) ?? [];
  const decided = await entered((approve ?? '').replaceAll('<run>', runId).replace(runId, `${runId} --yes`));
  expect(decided.code).toBe(0);
  expect(decided.out).toMatch(/✓ +report .*operator/);

  const rewound = await entered(`${back}\n${replay}`);
  expect(rewound.code).toBe(0);
  expect(rewound.out).toContain('before event 4');
  const research = await entered(agents ?? '');
  expect(research.out).toContain('local.research-team.lead');
  expect(research.code).toBe(WAITS);
});

it('the page about the API leads to the results that it tells of', async () => {
  const [, ...blocks] = blocksOf('docs/how-to/api.md');
  const functions = `URL=${host.url}/v1
api() { curl -sN -H "Authorization: Bearer ${OPERATOR_KEY}" -H 'Content-Type: application/json' "$@"; echo; }
id() { node -pe 'JSON.parse(fs.readFileSync(0)).runId'; }
`;
  const outs: string[] = [];
  for (const block of blocks) outs.push((await entered(functions + block)).out);
  const [started, watched, answered, twice, remembered] = outs;
  expect(started).toContain('"greeting":"Hello, Ada!"');
  expect(watched).toContain('run.completed');
  expect(answered).toContain('"status":"completed"');
  const [one, two] = (twice ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).runId);
  expect(one).toBe(two);
  expect(remembered).toContain('High water at noon.');
});
