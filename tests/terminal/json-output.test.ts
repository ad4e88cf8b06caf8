import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { piped } from './command-in-pipe.ts';
import { type ExampleHost, startExamples } from './example-host.ts';

/** What the commands of operators print with `--json`: objects only, the result last, and the usual exit codes. */

const HOLDER = ['--tenant', 't', '--principal', 'p'];
const host: ExampleHost = await startExamples();
afterAll(() => host.stop());
const [run] = (await json('run', 'vetted-report', '--input', 'topic=owls')).lines;
const runId: string = String(run?.runId);
await json('approve', runId, '--yes', '--watch');

async function json(...args: readonly string[]) {
  const { code, out, err } = await piped([...args, '--json'], { env: host.env, cwd: host.folder });
  const lines = out.split('\n').slice(0, -1);
  return { code, err, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

/** The only object of a command that did what was asked. */
async function result(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, err, lines } = await json(...args);
  expect({ args, code, err, objects: lines.length }).toEqual({ args, code: 0, err: '', objects: 1 });
  return lines[0] ?? {};
}

describe('with --json', () => {
  it('verify prints a summary', async () => {
    const all = await result('verify');
    expect(all).toMatchObject({ agrees: true, findings: 0, signaturesChecked: true });
    expect(all.checked).toMatchObject({ runs: expect.any(Number), events: expect.any(Number) });
    expect(await result('verify', runId)).toMatchObject({
      runId,
      agrees: true,
      attestations: [{ merged: false }, { merged: true, approvedBy: ['operator'] }],
    });
  });

  it('ancestry prints the runs, the topmost first', async () => {
    expect(await result('ancestry', `${runId}.1`)).toMatchObject({
      isComplete: true,
      runs: [{ runId }, { runId: `${runId}.1`, cause: 'core.dispatch' }],
    });
  });

  it('bundle and open --check carry a run', async () => {
    const bundle = await result('bundle', runId);
    const file = join(host.folder, 'bundle.json');
    writeFileSync(file, JSON.stringify(bundle));
    expect(await result('open', file, '--check')).toMatchObject({ runId, verified: true });
  });

  it('keys, peers and secrets print what they changed', async () => {
    const holder = ['--tenant', 'acme', '--principal', 'ada', '--role', 'viewer'];
    const { id, key } = await result('keys', 'create', ...holder);
    expect(key).toMatch(/^baton_/);
    expect((await json('keys', 'list')).lines).toContainEqual(
      expect.objectContaining({ id, tenant: 'acme' }),
    );
    expect(await result('keys', 'revoke', String(id))).toMatchObject({ id, revokedAt: expect.any(String) });
    const added = await result('peers', 'add', 'acme', '--url', 'https://acme.example', '--a2a');
    expect(added).toMatchObject({ name: 'acme', kind: 'a2a', tenant: 'peer-acme' });
    expect(await result('peers', 'list')).toMatchObject({ hostId: expect.any(String), peers: [added] });
    expect(await result('peers', 'remove', 'acme')).toEqual({ name: 'acme', removed: true });
    expect(await result('secrets', 'rotate')).toMatchObject({ secrets: 0, unreadable: 0 });
    expect(await json('held')).toMatchObject({ code: 0, lines: [] });
  });

  it('diff names the run that does not exist', async () => {
    for (const args of [
      [runId, 'nope'],
      ['nope', runId],
    ]) {
      const { code, lines } = await json('diff', ...args);
      expect({ code, lines }).toMatchObject({ code: 7, lines: [{ message: 'There is no run nope.' }] });
    }
  });

  it('fork --branch begins at event 0 unless --at is given', async () => {
    expect(await result('fork', runId, '--branch')).toMatchObject({ mode: 'branch', fromSeq: 0 });
  });

  it('run names the run that the key may start and not read', async () => {
    const holder = ['--tenant', 'acme', '--principal', 'starter', '--scopes', 'runs:create'];
    const { key } = await result('keys', 'create', ...holder);
    const { code, lines } = await json('run', 'hello', '--key', String(key));
    expect({ code, lines }).toMatchObject({
      code: 6,
      lines: [
        {
          error: 'forbidden',
          message: expect.stringMatching(/^Run [-0-9a-f]{36} was started/),
          hint: expect.stringMatching(/runs:read: baton tail [-0-9a-f]{36}/),
        },
      ],
    });
  });

  it('backup and restore name their file and their folder', async () => {
    const file = join(host.folder, 'copy.db');
    expect(await result('backup', 'copy.db')).toMatchObject({ file });
    expect(await result('restore', 'copy.db', '--data', 'restored')).toMatchObject({ file });
  });

  it.each([
    [['verify', '--data', 'nowhere'], 1, 'failed', /no data folder nowhere/],
    [['keys', 'revoke', 'key_0'], 7, 'not_found', /no key key_0/],
    [['peers', 'remove', 'acme'], 7, 'not_found', /no peer acme/],
    [['restore', 'copy.db'], 1, 'failed', /./],
    [['open', 'nothing.json'], 7, 'not_found', /no bundle at nothing\.json/],
    [['bundle', 'no-such-run'], 7, 'not_found', /no run no-such-run/],
    [['release', 'no-such-run'], 7, 'not_found', /./],
    [['held', '--key', 'a-key-of-nobody'], 6, 'unauthenticated', /./],
    [['held', '--url', 'http://127.0.0.1:1'], 5, 'host_unreachable', /No host answers/],
    [['secrets', 'rotate', '--url', 'nonsense'], 2, 'wrong_usage', /nonsense is not an address/],
    [['verify', 'no-such-run'], 7, 'not_found', /no run no-such-run/],
    [['ancestry', 'r', '--key-for', 'x'], 2, 'wrong_usage', /--key-for needs/],
    [['runs', '--status', 'bogus'], 2, 'wrong_usage', /--status bogus is not/],
    [['keys', 'create', ...HOLDER, '--role', 'x'], 2, 'wrong_usage', /not a role/],
    [['keys', 'create', ...HOLDER, '--scopes', 'x'], 2, 'wrong_usage', /not a scope/],
    [
      ['keys', 'create', '--tenant', '', '--principal', 'p', '--role', 'viewer'],
      2,
      'wrong_usage',
      /--tenant is/,
    ],
    [
      ['keys', 'create', '--tenant', 't', '--principal', 'a\x1b[1Ab', '--role', 'viewer'],
      2,
      'wrong_usage',
      /visible/,
    ],
    [['peers', 'add', 'acme', '--url', 'nonsense'], 2, 'wrong_usage', /not an address/],
    [['peers', 'add', 'acme', '--url', 'http://127.0.0.1:1'], 5, 'host_unreachable', /No host answers/],
    [['fork', 'r', '--branch', '--live-models'], 2, 'wrong_usage', /--live-models is for a replay/],
    [['run', 'hello', '--detach', '--watch'], 2, 'wrong_usage', /--detach does not wait/],
    [['serve', '--port', 'x'], 2, 'wrong_usage', /cannot start with these settings/],
    [['backup'], 2, 'wrong_usage', /missing required argument 'file'/],
    [['keys'], 2, 'wrong_usage', /./],
  ])('%j fails with %i and one object', async (args, exit, error, message) => {
    const { code, err, lines } = await json(...args);
    expect({ code, err, objects: lines.length }).toEqual({ code: exit, err: '', objects: 1 });
    expect(lines[0]).toMatchObject({ error, message: expect.stringMatching(message) });
  });
});
