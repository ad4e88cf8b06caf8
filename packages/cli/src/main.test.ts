import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** Starts the real command in a separate process. */

const BATON = fileURLToPath(new URL('../bin/baton.js', import.meta.url));
const KEY = 'a-key-for-the-command-line';
const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves with all output once the output matches. */
  printed(pattern: RegExp): Promise<string>;
}

let folder: string;
let started: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-cli-'));
  started = [];
});
afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function baton(args: readonly string[], env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [BATON, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, BATON_ALWAYS_REFOLD: '1', ...env },
  });
  started.push(child);
  const text = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    text.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    text.err += chunk;
  });
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, ...text })));
  const printed = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => pattern.test(text.out) && resolve(text.out);
      child.stdout.on('data', look);
      look();
      ended.then(({ err }) => reject(new Error(`ended before it printed ${pattern}: ${err}`)));
    });
  return { child, ended, printed };
}

describe('baton serve', () => {
  it('prints commands that work when pasted, and stops with 0 when told to', async () => {
    const host = baton(['serve', '--port', '0', '--workflows', EXAMPLES]);
    const out = await host.printed(/npx baton inbox.*\n/);
    const [run, inbox] = [...out.matchAll(/npx baton (.*)/g)].map(([, words = '']) => words.split(' '));
    const ran = await baton(run!).ended;
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('greeting: Hello, Ada!') });
    expect(await baton(inbox!).ended).toMatchObject({ code: 0, err: 'Nothing waits for a person.\n' });

    const left = join(folder, '.baton', 'host.address');
    expect(out).toContain(readFileSync(left, 'utf8').trim());
    host.child.kill('SIGTERM');
    expect(await host.ended).toMatchObject({ code: 0, err: expect.stringMatching(/^Stopping/) });
    expect(existsSync(left)).toBe(false);
  });

  it('prints one object with --json when it is ready, and no message when it stops', async () => {
    const host = baton(['serve', '--port', '0', '--workflows', EXAMPLES, '--json']);
    const started = JSON.parse(await host.printed(/^\{"version".*\n$/m));
    expect(started).toMatchObject({
      url: expect.stringMatching(/^http:/),
      dataFolder: join(folder, '.baton'),
      developmentKey: expect.stringMatching(/^baton_dev_/),
      workflows: expect.arrayContaining(['hello']),
      heldRuns: 0,
    });
    const asked = await fetch(`${started.url}/readyz`);
    expect(asked.status).toBe(200);
    host.child.kill('SIGTERM');
    expect(await host.ended).toEqual({ code: 0, out: `${JSON.stringify(started)}\n`, err: '' });
  });

  it('keeps its development key over a restart', async () => {
    const keys = [];
    for (const attempt of [1, 2]) {
      const host = baton(['serve', '--port', '0']);
      const out = await host.printed(/npx baton inbox.*\n/);
      keys.push(/baton_dev_[\w-]+/.exec(out)?.[0]);
      expect(readFileSync(join(folder, '.baton', 'dev-key'), 'utf8').trim(), `start ${attempt}`).toBe(
        keys[0],
      );
      host.child.kill('SIGINT');
      expect((await host.ended).code).toBe(0);
    }
    expect(keys[1]).toBe(keys[0]);
  });

  it("does not print the operator's key", async () => {
    const secret = 'correct-horse-battery-staple';
    const host = baton(['serve', '--port', '0'], { BATON_API_KEY: secret });
    const out = await host.printed(/npx baton inbox.*\n/);
    expect(out).toContain('from BATON_API_KEY');
    expect(out).not.toContain(secret);
  });

  it('says in one line that the port is taken', async () => {
    const first = baton(['serve', '--port', '0', '--data', 'first']);
    const port = /127\.0\.0\.1:(\d+)/.exec(await first.printed(/npx baton inbox.*\n/))![1]!;
    const second = await baton(['serve', '--port', port, '--data', 'second']).ended;
    expect(second).toMatchObject({ code: 1, out: '' });
    expect(second.err).toMatch(new RegExp(`^Error: The port ${port} on 127.0.0.1 is already in use.*\n$`));
  });

  it('refuses a data folder that another host uses', async () => {
    await baton(['serve', '--port', '0']).printed(/npx baton inbox.*\n/);
    const second = await baton(['serve', '--port', '0']).ended;
    expect(second).toMatchObject({ code: 1, err: expect.stringMatching(/^Error: .*data folder.*\n$/) });
  });

  it('lists everything that is wrong with its settings', async () => {
    const { code, err } = await baton(['serve', '--port', 'x'], { BATON_HOST: '0.0.0.0', BATON_PROT: '1' })
      .ended;
    expect(code).toBe(2);
    expect(err).toMatch(/BATON_PROT.*\n.*\n {2}--port is "x".*\n {2}BATON_API_KEY is not set.*\n$/);
  });

  it('names the file of a workflow that is not right', async () => {
    writeFileSync(join(folder, 'broken.json'), '{"id": "broken"}');
    const { code, err } = await baton(['serve', '--port', '0', '--workflows', '.']).ended;
    expect(code).toBe(1);
    expect(err).toMatch(/^Error: broken\.json.*nodes.*\n$/);
  });

  it.each([
    ['workflows', /no folder nowhere; set BATON_WORKFLOWS/],
    ['agents', /no folder nowhere; set BATON_AGENTS/],
  ])('says what to do when the folder of %s is missing', async (setting, message) => {
    const { code, err } = await baton(['serve', '--port', '0', `--${setting}`, 'nowhere']).ended;
    expect(code).toBe(1);
    expect(err).toMatch(message);
  });

  it('registers the agents of BATON_AGENTS and lists them, or names the file with a mistake', async () => {
    const manifest = { agentId: 'local.desk.clerk', persona: 'Clerk', modelClass: 'general' };
    writeFileSync(join(folder, 'clerk.json'), JSON.stringify({ ...manifest, systemPrompt: 'You count.' }));
    const host = baton(['serve', '--port', '0'], { BATON_AGENTS: '.', BATON_API_KEY: KEY });
    const out = await host.printed(/npx baton inbox.*\n/);
    expect(out).toMatch(/agents +local\.desk\.clerk\n/);
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(out) ?? [];
    const read = await fetch(`${url}/v1/agents/local.desk.clerk`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect(await read.json()).toMatchObject({ persona: 'Clerk' });
    host.child.kill('SIGTERM');
    await host.ended;

    writeFileSync(join(folder, 'clerk.json'), JSON.stringify(manifest));
    const { code, err } = await baton(['serve', '--port', '0', '--agents', '.']).ended;
    expect(code).toBe(1);
    expect(err).toMatch(/^Error: clerk\.json: agent: manifest\.systemPrompt is missing/);
  });
});

describe('beside a running host', () => {
  it('makes and revokes keys that the host honours', async () => {
    const host = baton(['serve', '--port', '0']);
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(await host.printed(/npx baton inbox.*\n/))![0];
    const holder = ['--tenant', 'acme', '--principal', 'ada', '--scopes', 'runs:read'];
    const { out, err } = await baton(['keys', 'create', ...holder]).ended;
    const list = () => fetch(`${url}/v1/runs`, { headers: { Authorization: `Bearer ${out.trim()}` } });
    expect((await list()).status).toBe(200);

    await baton(['keys', 'revoke', /key_\w+/.exec(err)![0]]).ended;
    await expect.poll(async () => (await list()).status).toBe(401);
  });

  it('verifies what a run took over, and notices when a log was changed', async () => {
    const host = baton(['serve', '--port', '0', '--workflows', EXAMPLES], { BATON_API_KEY: KEY });
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(await host.printed(/npx baton inbox.*\n/))![0];
    const post = async (path: string, body: object) => {
      const headers = {
        Authorization: `Bearer ${KEY}`,
        'Content-Type': 'application/json',
        Prefer: 'wait=20',
      };
      const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as { runId: string };
    };
    const { runId } = await post('/v1/runs', { workflowId: 'vetted-report' });
    const answer = { action: 'edit-accept', editedArtifactData: { text: 'Edited.' } };
    await post(`/v1/runs/${runId}/interrupts/commission`, { resumeValue: answer });

    const verified = await baton(['verify', runId]).ended;
    expect(verified).toMatchObject({ code: 0, err: expect.stringMatching(/^Everything agrees/) });
    const [head, sentBack, merged] = verified.out.trimEnd().split('\n');
    expect(head).toMatch(/^ +VARIABLE +WORKER +CHILD RUN +CHECKSUM +CRITIC +APPROVED BY +OUTCOME$/);
    expect(sentBack).toMatch(/^✓ +- .*revise \(vetted-report-critic\) .*sent back/);
    expect(merged).toMatch(/^✓ +report +vetted-report-writer .* [0-9a-f]{12} .*operator +merged as edited$/);

    const database = new Database(join(folder, '.baton', 'baton.db'));
    database
      .prepare(
        "UPDATE events SET data = replace(data, 'almanac', 'forgery') WHERE data LIKE '%variable.changed%'",
      )
      .run();
    database.close();
    const tampered = await baton(['verify', runId]).ended;
    expect(tampered).toMatchObject({ code: 1, out: expect.stringMatching(/^✗ +report/m) });
    expect(tampered.err).toContain(`do not agree about ${runId}.3`);
  });

  it('verifies everything that is stored, also while the host runs, and names what was changed', async () => {
    const host = baton(['serve', '--port', '0', '--workflows', EXAMPLES], { BATON_API_KEY: KEY });
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(await host.printed(/npx baton inbox.*\n/))![0];
    const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json', Prefer: 'wait=20' };
    const body = JSON.stringify({ workflowId: 'hello' });
    const created = await fetch(`${url}/v1/runs`, { method: 'POST', headers, body });
    const { runId } = (await created.json()) as { runId: string };
    const clean = await baton(['verify']).ended;
    expect(clean).toMatchObject({ code: 0, out: '' });
    expect(clean.err).toMatch(/^Checked \d+ events of 1 run, \d+ signed checkpoints?: all are unchanged/);

    const database = new Database(join(folder, '.baton', 'baton.db'));
    database.prepare('DELETE FROM events WHERE seq = 2').run();
    database.close();
    const tampered = await baton(['verify']).ended;
    expect(tampered.code).toBe(1);
    expect(tampered.out).toMatch(new RegExp(`✗ +event-missing +${runId} 2 `));
    expect(tampered.err).toContain('were changed after they were written');
  });

  it('opens a bundle on a host of its own, which leaves nothing', async () => {
    const host = baton(['serve', '--port', '0', '--workflows', EXAMPLES], { BATON_API_KEY: KEY });
    const from = /http:\/\/127\.0\.0\.1:\d+/.exec(await host.printed(/npx baton inbox.*\n/))![0];
    const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json', Prefer: 'wait=20' };
    const body = JSON.stringify({ workflowId: 'hello' });
    const created = await fetch(`${from}/v1/runs`, { method: 'POST', headers, body });
    const { runId } = (await created.json()) as { runId: string };
    const bundle = await baton(['bundle', runId, '--url', from, '--api-key', KEY]).ended;
    writeFileSync(join(folder, 'run.json'), bundle.out);
    const { publicKey } = (await (await fetch(`${from}/v1/audit/key`, { headers })).json()) as {
      publicKey: string;
    };
    writeFileSync(join(folder, 'key.pem'), publicKey);
    const verified = await baton(['open', 'run.json', '--check', '--trusted', 'key.pem']).ended;
    expect(verified).toMatchObject({ code: 0, out: '' });
    expect(verified.err).toMatch(
      /^1 run with 5 events, of Baton .*\(completed\)\.\nEvery log agrees .* Signed with /,
    );

    const env = { TMPDIR: join(folder, 'tmp'), BATON_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' };
    mkdirSync(env.TMPDIR);
    const opened = baton(['open', 'run.json'], env);
    const out = await opened.printed(/npx baton inbox.*\n/);
    const data = /data +(\S+)/.exec(out)![1]!;
    expect(readdirSync(env.TMPDIR)).toEqual([basename(data)]);
    expect((await baton(['runs', '--data', data]).ended).out).toContain(runId);
    expect(await baton(['verify', runId, '--data', data]).ended).toMatchObject({ code: 0 });
    const fork = await baton(['fork', runId, '--data', data]).ended;
    expect(await baton(['diff', runId, fork.out.trim(), '--data', data]).ended).toMatchObject({ code: 0 });
    opened.child.kill('SIGTERM');
    expect((await opened.ended).code).toBe(0);
    expect(readdirSync(env.TMPDIR)).toEqual([]);

    writeFileSync(join(folder, 'run.json'), bundle.out.replaceAll('Hello', 'Hallo'));
    for (const more of [['--check'], []]) {
      const refused = await baton(['open', 'run.json', ...more], env).ended;
      expect(refused).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('match its hash chain'),
      });
    }
    expect(readdirSync(env.TMPDIR)).toEqual([]);
    const full = await baton(['open', 'run.json', '--data', '.'], env).ended;
    expect(full).toMatchObject({ code: 2, err: expect.stringContaining('is not empty') });
  });

  it('takes a backup that another folder can be made from', async () => {
    await baton(['serve', '--port', '0']).printed(/npx baton inbox.*\n/);
    const holder = ['--tenant', 'acme', '--principal', 'ada', '--scopes', 'runs:read'];
    const { err } = await baton(['keys', 'create', ...holder]).ended;
    expect((await baton(['backup', 'copy.db']).ended).code).toBe(0);
    expect((await baton(['restore', 'copy.db']).ended).code).toBe(1);
    expect((await baton(['restore', 'copy.db', '--data', 'restored']).ended).code).toBe(0);
    const { out } = await baton(['keys', 'list', '--data', 'restored']).ended;
    expect(out).toContain(/key_\w+/.exec(err)![0]);
  });
});

describe('a wrong command line', () => {
  it.each([
    [['serv'], 2, /Did you mean serve/],
    [['serve', '--prot', '1'], 2, /Did you mean --port/],
    [['keys', 'create', '--tenant', 'a'], 2, /--principal/],
    [['keys', 'list', '--data', 'nowhere'], 1, /no data folder nowhere/],
    [['verify', '--data', 'nowhere'], 1, /no data folder nowhere/],
    [['verify', 'r', '--data', 'nowhere'], 1, /no data folder nowhere/],
    [['held', '--url', 'http://[::1/', '--api-key', 'k'], 2, /http:\/\/\[::1 is not an address/],
    [['backup'], 2, /missing required argument 'file'/],
    [['bundle', 'r', '--data', 'nowhere'], 6, /no key for the host/],
    [['open', 'nothing.json'], 7, /no bundle at nothing\.json/],
  ])('%j', async (args, exit, message) => {
    const { code, err } = await baton(args).ended;
    expect(code).toBe(exit);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/\n\s+at /);
  });
});
