import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** The commands of authors through pipes, with one host for all of them. */

const BATON = fileURLToPath(new URL('../../bin/baton.js', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../../../../examples', import.meta.url));

let folder: string;
let host: ChildProcess;

function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [BATON, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, BATON_ALWAYS_REFOLD: '1', ...env },
  });
}

function baton(
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
) {
  const child = start(args, env);
  const text = { out: '', err: '' };
  child.stdout?.on('data', (chunk) => {
    text.out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    text.err += chunk;
  });
  child.stdin?.end(input);
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, ...text }));
  });
}

/** The lines that `--json` prints. */
const lines = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'baton-author-'));
  mkdirSync(join(folder, 'flows', 'nested'), { recursive: true });
  cpSync(join(EXAMPLES, 'release-approval.json'), join(folder, 'flows', 'release.json'));
  cpSync(join(EXAMPLES, 'hello.json'), join(folder, 'flows', 'nested', 'workflow.json'));
  writeFileSync(join(folder, 'flows', 'agent.json'), '{"agentId": "local.a.b"}');
  host = start(['serve', '--port', '0', '--workflows', EXAMPLES, '--agents', EXAMPLES]);
  await new Promise<void>((resolve, reject) => {
    let out = '';
    host.stdout?.on('data', (chunk) => {
      out += chunk;
      if (/npx baton inbox.*\n/.test(out)) resolve();
    });
    host.on('close', () => reject(new Error(`the host ended: ${out}`)));
  });
}, 60_000);

afterAll(() => {
  host.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe('baton workflows', () => {
  it('list shows the workflows of the host', async () => {
    const { code, out } = await baton(['workflows', 'list']);
    expect(code).toBe(0);
    expect(out).toMatch(/^WORKFLOW +VERSION +REGISTERED \(UTC\) +FOR\n/);
    expect(out).toMatch(/\nvetted-report +1 +\S+ \S+ +all tenants\n/);
    const listed = lines((await baton(['workflows', 'list', '--json'])).out);
    expect(listed).toContainEqual(expect.objectContaining({ workflowId: 'hello', version: 1, shared: true }));
  });

  it('show prints a definition, and suggests a name for an unknown one', async () => {
    const { code, out } = await baton(['workflows', 'show', 'hello']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ id: 'hello', nodes: [{ id: 'greet' }] });
    const unknown = await baton(['workflows', 'show', 'helo']);
    expect(unknown).toMatchObject({ code: 7, out: '' });
    expect(unknown.err).toBe('Error: There is no workflow helo.\nDid you mean hello?\n');
    const asJson = await baton(['workflows', 'show', 'helo', '--json']);
    expect(lines(asJson.out)).toMatchObject([{ error: 'not_found', hint: 'Did you mean hello?' }]);
  });

  it('validate names the node and the field, without a host', async () => {
    const release = JSON.parse(readFileSync(join(folder, 'flows', 'release.json'), 'utf8'));
    release.nodes[2].config = { assing: {} };
    writeFileSync(join(folder, 'wrong.json'), JSON.stringify(release));
    const wrong = await baton(['workflows', 'validate', 'wrong.json']);
    expect(wrong.code).toBe(1);
    expect(wrong.out).toMatch(/^✗ wrong\.json: node "publish-preview", config(?:\.\w+)?: .+\n$/);
    const [result] = lines((await baton(['workflows', 'validate', 'wrong.json', '--json'])).out);
    expect(result).toMatchObject({ valid: false, field: expect.stringMatching(/^nodes\.2\.config/) });
    writeFileSync(join(folder, 'broken.json'), '{\n  "id": "x",\n  oops\n}');
    const broken = await baton(['workflows', 'validate', 'broken.json']);
    expect(broken).toMatchObject({
      code: 1,
      out: expect.stringContaining('is not valid JSON: line 3, column 3: '),
    });
    expect(await baton(['workflows', 'validate', 'flows'])).toMatchObject({
      code: 0,
      out: '✓ flows/nested/workflow.json: the workflow "hello" is valid\n✓ flows/release.json: the workflow "release-approval" is valid\n',
    });
    expect(await baton(['workflows', 'validate', 'nowhere'])).toMatchObject({ code: 7 });
  });

  it('validate tells the edge and the variable of a problem', async () => {
    const node = { id: 'a', typeId: 'core.noop' };
    const given = { id: 'x', nodes: [node], edges: [{ sourceNodeId: 'a', targetNodeId: 'b' }] };
    writeFileSync(join(folder, 'edge.json'), JSON.stringify(given));
    const { out } = await baton(['workflows', 'validate', 'edge.json']);
    expect(out).toBe('✗ edge.json: edge "a" → "b", targetNodeId: names no node: "b"\n');
  });

  it('push registers a folder, and nothing of it when one file is wrong', async () => {
    const changed = { id: 'pushed', nodes: [{ id: 'a', typeId: 'core.noop' }] };
    mkdirSync(join(folder, 'pushed'));
    writeFileSync(join(folder, 'pushed', 'a.json'), JSON.stringify(changed));
    writeFileSync(join(folder, 'pushed', 'b.json'), JSON.stringify({ id: 'b', nodes: [] }));
    const refused = await baton(['workflows', 'push', 'pushed']);
    expect(refused).toMatchObject({ code: 1, err: 'Nothing was registered.\n' });
    expect(refused.out).toContain('✗ pushed/b.json: nodes: ');
    expect((await baton(['workflows', 'show', 'pushed'])).code).toBe(7);
    rmSync(join(folder, 'pushed', 'b.json'));
    expect((await baton(['workflows', 'push', 'pushed'])).out).toBe('✓ pushed, version 1 (pushed/a.json)\n');
    const again = await baton(['workflows', 'push', 'pushed/a.json', '--json']);
    expect(lines(again.out)).toMatchObject([{ workflowId: 'pushed', version: 1 }]);
  });

  it('graph draws a workflow of the host or of a file', async () => {
    const drawn = readFileSync(new URL('../graph/drawn/vetted-report.80.txt', import.meta.url), 'utf8');
    expect((await baton(['workflows', 'graph', 'vetted-report'])).out).toBe(drawn);
    const mermaid = await baton([
      'workflows',
      'graph',
      'flows/release.json',
      '--mermaid',
      '--url',
      'http://127.0.0.1:9',
    ]);
    expect(mermaid).toMatchObject({ code: 0, out: expect.stringContaining('flowchart TD\n') });
    const svg = await baton(['workflows', 'graph', 'flows/release.json', '--svg', '--json']);
    expect(lines(svg.out)).toMatchObject([
      { form: 'svg', drawing: expect.stringMatching(/^<svg .*<\/svg>$/s) },
    ]);
    expect((await baton(['workflows', 'graph', 'flows/none.json'])).err).toContain('no file flows/none.json');
  });
});

describe('baton agents and chat', () => {
  const AGENT = 'local.research-team.critic';

  it('agents lists and shows agents', async () => {
    expect((await baton(['agents'])).out).toMatch(/\nlocal\.support-triage\.triage +\w+ +\d+ +\S/);
    expect((await baton(['agents', AGENT])).out).toMatch(/^agent +local\.research-team\.critic\n/);
    const unknown = await baton(['agents', 'local.research-team.crtic']);
    expect(unknown).toMatchObject({ code: 7, err: expect.stringContaining(`Did you mean ${AGENT}?`) });
    expect(lines((await baton(['agents', '--json'])).out)).toContainEqual(
      expect.objectContaining({ agentId: AGENT }),
    );
  });

  it('chat sends an argument or the input, and goes on with a conversation', async () => {
    const first = await baton(['chat', AGENT, 'Is it grounded?', '--json']);
    const [{ conversationId, reply, status }] = lines(first.out);
    expect([first.code, status]).toEqual([0, 'completed']);
    const second = await baton(['chat', AGENT, '--conversation', conversationId], { input: 'And now?\n' });
    expect(second).toMatchObject({ code: 0, out: `${reply}\n` });
    expect(second.err).toContain(`--conversation ${conversationId}`);
    expect(await baton(['chat', AGENT])).toMatchObject({
      code: 2,
      err: expect.stringContaining('no message'),
    });
  });
});

it('baton memory lists memory scopes, and the entries of one', async () => {
  expect((await baton(['memory'])).err).toContain('No runs share memory yet');
  for (const note of ['High water at noon.', 'Low water at six.']) {
    await baton(['run', 'notebook', '--scope', 'tides', '--input', `note=${note}`]);
  }
  expect((await baton(['memory'])).out).toMatch(/^MEMORY SCOPE +VERSION\ntides +\d+\n$/);
  const { out } = await baton(['memory', 'tides']);
  expect(out).toMatch(/#note.*\n {2}Low water at six\.\n\n.*\n {2}High water at noon\.\n$/);
  const found = await baton(['memory', 'tides', '--text', 'noon', '--json']);
  expect(lines(found.out)).toMatchObject([{ content: 'High water at noon.', tags: ['note'] }]);
  expect((await baton(['memory', 'tides', '--tag', 'other'])).err).toContain('has no such entries');
});

describe('baton doctor', () => {
  it('finds that all is well beside a host', async () => {
    const { code, out } = await baton(['doctor']);
    expect(out).toMatch(/✓ host +answers at http:\/\/127\.0\.0\.1:\d+\n/);
    expect(out).toMatch(/✓ keys +the host accepts the development key; 0 other keys\n/);
    expect(out).toMatch(/✓ clock +agrees with the host\n\nAll is well\.\n$/);
    expect(code).toBe(0);
  });

  it('says what to fix, and exits with 1', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const refused = await baton(['doctor', '--key', 'not-a-key-of-this-host']);
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('✗ keys') });
    const env = { BATON_RATE_LIMIT: 'many' };
    const { code, out } = await baton(
      ['doctor', '--url', `http://127.0.0.1:${port}`, '--data', 'broken.json/x', '--json'],
      { env },
    );
    other.close();
    const checks = lines(out);
    expect(code).toBe(1);
    expect(checks.at(-1)).toEqual({ ok: false });
    expect(checks).toContainEqual(expect.objectContaining({ name: 'settings', state: 'problem' }));
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'host', text: expect.stringContaining('another program') }),
    );
  });
});

describe('baton completion', () => {
  it.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
    const { code, out } = await baton(['completion', shell]);
    expect(code).toBe(0);
    expect(out).toContain('baton complete -- ');
  });

  it('suggests a shell', async () => {
    expect(await baton(['completion', 'bsh'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('bash?'),
    });
  });

  it('completes commands, options and names of the host', async () => {
    const words = async (...typed: string[]) =>
      (await baton(['complete', '--', ...typed])).out.split('\n').slice(0, -1);
    expect(await words('wo')).toEqual(['workflows']);
    expect(await words('workflows', 'graph', 'vetted-report-')).toEqual([
      'vetted-report-critic',
      'vetted-report-writer',
    ]);
    expect(await words('run', 'hel')).toEqual(['hello']);
    expect(await words('chat', 'local.support')).toContain('local.support-triage.reply');
    expect(await words('workflows', 'graph', 'hello', '--s')).toEqual(['--svg']);
    expect(await words('serve', '--por')).toEqual(['--port']);
    expect(await words('workflows', 'validate', '')).toEqual([]);
  });

  it('works in bash', async () => {
    const script = join(folder, 'complete.bash');
    writeFileSync(
      script,
      `baton() { "${process.execPath}" "${BATON}" "$@"; }
${(await baton(['completion', 'bash'])).out}
COMP_WORDS=(baton workflows gr) COMP_CWORD=2
_baton
echo "\${COMPREPLY[@]}"`,
    );
    const shell = spawn('bash', [script], { cwd: folder, env: { PATH: process.env.PATH } });
    let out = '';
    shell.stdout.on('data', (chunk) => {
      out += chunk;
    });
    await new Promise((resolve) => shell.on('close', resolve));
    expect(out).toBe('graph\n');
  });
});

describe('baton init', () => {
  it('makes a project of which every file is checked, and overwrites nothing', async () => {
    const made = await baton(['init', 'demo', '--json']);
    const [{ files }] = lines(made.out);
    expect(files).toContain('workflows/brief.json');
    expect(readFileSync(join(folder, 'demo', 'README.md'), 'utf8').split('\n').length).toBeLessThanOrEqual(
      11,
    );
    expect((await baton(['workflows', 'validate', 'demo/workflows'])).code).toBe(0);
    const again = await baton(['init', 'demo']);
    expect(again).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not empty: it has .gitignore, README.md'),
    });
    mkdirSync(join(folder, 'cloned', '.git'), { recursive: true });
    expect((await baton(['init', 'cloned'])).code).toBe(0);
    expect((await baton(['init', 'wrong.json'])).err).toContain('wrong.json is a file');
  });

  it('makes a project that "baton serve" finds', async () => {
    const served = spawn(process.execPath, [BATON, 'serve', '--port', '0'], {
      cwd: join(folder, 'demo'),
      env: { PATH: process.env.PATH },
    });
    let out = '';
    await new Promise<void>((resolve) => {
      served.stdout.on('data', (chunk) => {
        out += chunk;
        if (/npx baton inbox.*\n/.test(out)) resolve();
      });
      served.on('close', () => resolve());
    });
    served.kill('SIGKILL');
    expect(out).toMatch(/workflows +brief\n/);
    expect(out).toMatch(/agents +local\.demo\.writer\n/);
  });
});

it('every command has help with an example', async () => {
  const commands = [
    ['workflows', 'list'],
    ['workflows', 'show'],
    ['workflows', 'validate'],
    ['workflows', 'push'],
    ['workflows', 'graph'],
    ['agents'],
    ['chat'],
    ['memory'],
    ['init'],
    ['doctor'],
    ['completion'],
  ];
  for (const command of commands) {
    const { code, out } = await baton([...command, '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`Examples?:\\n  .*baton ${command.join(' ')}`));
    expect(out).toContain('--json');
  }
});
