import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { everySnippetOf } from '../docs/every-snippet.ts';
import { openShell } from '../docs/shell.ts';
import { startRegistry } from './local-registry.ts';

/** The packed packages in an empty folder, with the commands that a new user enters. */

const PACK = fileURLToPath(new URL('../../scripts/pack.mjs', import.meta.url));

/** The exit code of a run that waits for a person. */
const WAITS = 4;

/** Only what a new user has: no settings of npm or of Baton, a home of its own, and an empty cache. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|BATON_|NODE_|FORCE_|VITEST)/i.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    HOME: folder,
    NO_COLOR: '1',
    npm_config_registry: registry.url,
    npm_config_cache: join(folder, '.npm'),
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  };
}

function start(
  command: string,
  args: readonly string[],
  cwd: string,
  input = '',
): { child: ChildProcess; ended: Promise<{ code: number | null; out: string; err: string }> } {
  const child = spawn(command, args, { cwd, env: environment(), detached: true });
  child.stdin.end(input);
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err }));
  return { child, ended };
}

const run = (command: string, args: readonly string[], cwd = folder, input = '') =>
  start(command, args, cwd, input).ended;

const registry: Awaited<ReturnType<typeof startRegistry>> = await startRegistry();
const folder: string = mkdtempSync(join(tmpdir(), 'baton-packed-'));
const packed = await run(process.execPath, [PACK, join(folder, 'tarballs')]);
expect(packed).toMatchObject({ code: 0 });
const tarballs = packed.out.trim().split('\n');
// The registry has the versions of this project only, and one of them is set by an override.
const { overrides } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }));
const installed = await run('npm', ['install', '--ignore-scripts', ...tarballs]);
expect(installed.err).not.toContain('npm error');
expect(installed.code).toBe(0);

afterAll(async () => {
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the packed packages', () => {
  it('hold the command as a bundle, which needs the database only', () => {
    const installed = join(folder, 'node_modules', '@baton', 'cli');
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(Object.keys(dependencies)).toEqual(['better-sqlite3']);
    const files = [
      'LICENSE',
      'README.md',
      'THIRD-PARTY-LICENSES',
      'bin',
      'bundled',
      'console',
      'package.json',
    ];
    expect(readdirSync(installed).sort()).toEqual(files);
    expect(readdirSync(join(installed, 'console'))).toEqual(
      expect.arrayContaining(['index.html', 'assets', 'THIRD-PARTY-LICENSES']),
    );
    expect(registry.asked).toContain('better-sqlite3');
    expect(registry.asked.filter((name) => name.startsWith('@baton/') || name === 'fastify')).toEqual([]);
  });

  it('have nothing that only conformance suites need, and say where it is', async () => {
    const cli = join(folder, 'node_modules', '@baton', 'cli');
    expect(readdirSync(join(cli, 'bundled'))).not.toContain('conformance');
    const serving = await run('npx', ['baton', 'serve', '--port', '0', '--test-seams']);
    expect(serving.code).not.toBe(0);
    expect(serving.err).toContain('BATON_TEST_SEAMS needs the package @baton/conformance');
    expect(serving.err).toContain('npm start');
  });

  it('make a project whose test passes, whose host serves it, and whose commands work', async () => {
    const made = await run('npx', ['baton', 'init', 'demo']);
    expect(made).toMatchObject({ code: 0, out: expect.stringContaining('workflows/brief.json') });
    const demo = join(folder, 'demo');
    const tested = await run('npm', ['test'], demo);
    expect(tested.out).toMatch(/# pass 3\n# fail 0/);
    expect(tested.code).toBe(0);
    expect(await run('npx', ['baton', 'workflows', 'validate', 'workflows'], demo)).toMatchObject({
      code: 0,
      out: '✓ workflows/brief.json: the workflow "brief" is valid\n',
    });

    // Another host may use the usual port.
    const serving = start('npx', ['baton', 'serve', '--port', '0'], demo);
    try {
      await listening(serving.child);
      const ran = await run('npx', ['baton', 'run', 'brief', '--input', 'topic=tides', '--json'], demo);
      expect(ran.code).toBe(WAITS);
      const { runId } = JSON.parse(ran.out.trim().split('\n').at(-1) ?? '');
      expect((await run('npx', ['baton', 'approve', runId, '--yes'], demo)).code).toBe(0);
      const verified = await run('npx', ['baton', 'verify', runId], demo);
      expect(verified).toMatchObject({ code: 0, out: expect.stringContaining('brief') });
      const chat = await run('npx', ['baton', 'chat', 'local.demo.writer'], demo, 'Tell me of the tides.');
      expect(chat).toMatchObject({ code: 0, out: expect.stringContaining('two high waters a day') });
      const doctor = await run('npx', ['baton', 'doctor'], demo);
      expect(doctor.out).toMatch(/✓ host +answers at http:\/\/127\.0\.0\.1:\d+\n/);
      expect(doctor.code).toBe(0);
    } finally {
      // The command runs below npx and a shell, which are all in one group.
      process.kill(-(serving.child.pid as number), 'SIGTERM');
      await serving.ended;
    }
  }, 300_000);
});

/** The commands are entered in one terminal, and the host is started in another one. */
everySnippetOf(
  'docs/tutorial.md',
  async (take) => {
    const place = mkdtempSync(join(folder, 'tutorial-'));
    const { enter, close } = openShell({
      folder: place,
      env: environment() as Record<string, string>,
      commands: {},
    });
    const entered = async (): Promise<string> => {
      const snippet = take('sh');
      const { out, failed } = await enter(snippet);
      expect(failed, `${snippet}${out}`).toEqual([]);
      return out;
    };
    await entered();
    expect(await entered()).toContain('approve: one person');
    expect(await entered()).toMatch(/# fail 0/);
    // Another host may use the usual port.
    const serving = start('bash', ['-c', `export BATON_PORT=0; ${take('sh')}`], join(place, 'demo'));
    try {
      await listening(serving.child);
      const ran = await enter(take('sh'));
      expect(ran.failed).toEqual([`${WAITS}: npx baton tail $RUN --until-waiting`]);
      const [runId = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(ran.out) ?? [];
      expect(await entered()).toContain(runId);
      expect(await entered()).toContain('completed');
      expect(await entered()).toMatch(/✓ +brief/);
      expect(await entered()).toContain('before event 3');
      expect(await entered()).toContain('tides');
      expect(await entered()).not.toContain('diverged');
    } finally {
      process.kill(-(serving.child.pid as number), 'SIGTERM');
      await serving.ended;
      await close();
    }
  },
  300_000,
);

function listening(child: ChildProcess): Promise<void> {
  let out = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (text: string) => {
      out += text;
      if (out.includes('npx baton inbox')) resolve();
    });
    child.once('close', () => reject(new Error(`The host ended:\n${out}`)));
  });
}
