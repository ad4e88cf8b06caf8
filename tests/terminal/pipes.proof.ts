import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { piped as run } from './command-in-pipe.ts';
import { type ExampleHost, startExamples } from './example-host.ts';
import { comparable } from './pseudo-terminal.ts';

/** The commands as scripts use them: through pipes, with --json and exit codes. */
const host: ExampleHost = await startExamples();
afterAll(() => host.stop());

function piped(args: readonly string[], input = '') {
  return run(args, { input, env: host.env });
}

interface Line {
  readonly runId: string;
  readonly type?: string;
  readonly status?: string;
  readonly variables?: Record<string, unknown>;
}

function objects(out: string): readonly Line[] {
  return out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

async function json(...args: readonly string[]): Promise<readonly Line[]> {
  return objects((await piped([...args, '--json'])).out);
}

async function started(...args: readonly string[]): Promise<string> {
  const { out } = await piped(['run', ...args, '--json']);
  return objects(out).at(-1)?.runId ?? '';
}

describe('baton run', () => {
  it('prints the result, and exits with 0 when the run completed', async () => {
    const { code, out, err } = await piped(['run', 'hello', '--input', 'name=Ada']);
    expect({ code, out: comparable(out.trimEnd().split('\n')), err }).toEqual({
      code: 0,
      out: 'hello  <run>  completed  <duration>\n  name: Ada\n  greeting: Hello, Ada!',
      err: '',
    });
  });

  it('prints plain lines with --watch, and what to do when the run waits', async () => {
    const { code, out, err } = await piped(['run', 'vetted-report', '--watch']);
    expect(code).toBe(4);
    const own = out.split('\n').filter((line) => !/^\S+ {2}\.\d/.test(line));
    await expect(comparable([...own, err])).toMatchFileSnapshot('screens/lines.txt');
  });

  it('prints one object a line with --json, the run last', async () => {
    const { code, out } = await piped(
      ['run', 'hello', '--json', '--watch', '--input-file', '-'],
      '{"name": "Bo"}',
    );
    const lines = objects(out);
    expect(code).toBe(0);
    expect(lines[0]).toMatchObject({ type: 'run.started' });
    expect(lines.at(-2)).toMatchObject({ type: 'run.completed' });
    expect(lines.at(-1)).toMatchObject({ status: 'completed', variables: { greeting: 'Hello, Bo!' } });
  });
});

describe('questions, forks and states', () => {
  it('are answered, rewound and compared by scripts', async () => {
    const runId = await started('release-approval', '--input', 'version="2.0"');
    const inbox = await piped(['inbox', '--json']);
    expect(objects(inbox.out)).toContainEqual(expect.objectContaining({ runId, kind: 'approval' }));
    expect(inbox.out).not.toContain('interruptToken');
    expect(await piped(['reject', runId, '--yes', '--json'])).toMatchObject({ code: 0, err: '' });

    const state = await piped(['state', runId, '--at', '4', '--json']);
    expect(objects(state.out)).toMatchObject([{ runId, at: 4 }]);
    const fork = await piped(['fork', runId, '--at', '4', '--branch', '--json']);
    const [{ runId: branch }] = objects(fork.out) as [Line];
    expect(await piped(['approve', branch, '--yes', '--watch', '--json'])).toMatchObject({ code: 0 });
    const diff = await piped(['diff', runId, branch]);
    expect(diff).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^The runs differ from event \d+ on\./),
    });
    expect(diff.out).toMatch(/^- .*reject/m);
    expect(diff.out).toMatch(/^\+ .*accept/m);
    const replay = await piped(['fork', branch, '--json']);
    expect(objects(replay.out)).toMatchObject([{ mode: 'replay', sourceRunId: branch }]);
  });

  it('edit takes the artifact from a file, and attest shows who let it through', async () => {
    const runId = await started('vetted-report');
    const edited = await piped(['edit', runId, '--file', '-', '--yes', '--watch'], '{"text": "By hand."}');
    expect(edited).toMatchObject({ code: 0, out: expect.stringContaining('report: By hand.') });
    expect(edited.err).toMatch(
      /- {3}"text": "All about tides\. Sources: the almanac\."\n\+ {3}"text": "By hand\."/,
    );
    const attested = await piped(['attest', runId]);
    expect(attested).toMatchObject({ code: 0, err: 'Every checksum agrees with the logs.\n' });
    expect(attested.out).toMatch(/✓ +report +vetted-report-writer .* pass +operator +merged: edited/);
    const listed = await piped(['runs', '--workflow', 'vetted-report', '--limit', '1', '--json']);
    expect(objects(listed.out)).toMatchObject([{ runId, status: 'completed' }]);
  });

  it('nothing is decided without --yes where there is no terminal', async () => {
    const runId = await started('vetted-report');
    const commands = [['approve'], ['reject'], ['approve', '--json'], ['edit', '--file', '-']];
    for (const [name = '', ...flags] of commands) {
      const { code, out, err } = await piped([name, runId, ...flags], '{"text": "By hand."}');
      expect({ name, code, told: `${out}${err}` }).toEqual({
        name,
        code: 2,
        told: expect.stringContaining('add --yes'),
      });
    }
    expect((await json('state', runId)).at(-1)).toMatchObject({ status: 'waiting-approval' });
  });

  it('a branch whose first events started a child is followed to its end', async () => {
    const runId = await started('vetted-report');
    const asked = (await json('tail', runId, '--until-waiting')).findLast(
      (line) => line.type === 'interrupt.requested',
    ) as { readonly sequence?: number } | undefined;
    const at = String((asked?.sequence ?? 0) + 1);
    const fork = await piped(['fork', runId, '--at', at, '--branch', '--watch']);
    expect({ code: fork.code, err: fork.err }).toEqual({
      code: 4,
      err: expect.stringContaining('baton approve'),
    });
    const [{ runId: branch }] = (await json('runs', '--workflow', 'vetted-report', '--limit', '1')) as [Line];
    expect(await piped(['tail', branch, '--until-waiting'])).toMatchObject({ code: 4 });
    expect(await piped(['approve', branch, '--yes', '--watch'])).toMatchObject({ code: 0 });
  });

  it('cancel ends a run, and tail then exits with 3', async () => {
    const runId = await started('release-approval');
    expect(await piped(['cancel', runId, '--reason', 'not now'])).toMatchObject({ code: 0 });
    const tail = await piped(['tail', runId]);
    expect(tail.code).toBe(3);
    expect(tail.out).toMatch(/release-approval cancelled: by operator, not now\n/);
  });
});

describe('the beginning of the id of a run', () => {
  /** Ids begin with the time, and the runs of a test begin in the same minute. So a test takes some random digits, too. */
  const DIGITS = 23;

  it('names the run, in each place of an id', async () => {
    const runId = await started('release-approval');
    const other = await started('hello');
    const short = runId.slice(0, DIGITS);
    expect((await json('state', short)).at(-1)).toMatchObject({ runId });
    expect((await json('diff', other.slice(0, DIGITS), short)).at(-1)).toMatchObject({ a: other, b: runId });
    expect((await json('diff', runId, other.slice(0, DIGITS))).at(-1)).toMatchObject({ a: runId, b: other });
    expect((await json('attest', short)).at(-1)).toMatchObject({ runId });
    expect((await json('ancestry', short)).at(-1)).toMatchObject({ runs: [{ runId }] });
    expect((await json('fork', short)).at(-1)).toMatchObject({ sourceRunId: runId });
    expect((await json('approve', short, '--yes', '--watch')).at(-1)).toMatchObject({
      runId,
      status: 'completed',
    });
    expect((await json('tail', short)).at(-1)).toMatchObject({ runId, status: 'completed' });
    expect(await piped(['bundle', short])).toMatchObject({ code: 0, out: expect.stringContaining(runId) });
  });

  it('is refused where it is the beginning of several ids', async () => {
    const [first, second] = [await started('release-approval'), await started('release-approval')];
    const common = [...first].findIndex((letter, at) => letter !== second[at]);
    const { code, err } = await piped(['cancel', first.slice(0, common)]);
    expect(code).toBe(2);
    expect(err).toContain(
      `runs begin with ${first.slice(0, common)}.\nWrite more of the id: ${second}, ${first}`,
    );
    expect((await json('state', first)).at(-1)).toMatchObject({ status: 'waiting-approval' });
  });

  it('costs a whole id no request', async () => {
    const runId = await started('hello');
    const asked: string[] = [];
    const proxy = createServer((request, response) => {
      asked.push(request.url ?? '');
      const { authorization = '' } = request.headers;
      fetch(`${host.url}${request.url}`, { headers: { authorization } })
        .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
        .catch(() => response.destroy());
    });
    await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void proxy.close());
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    expect(await piped(['attest', runId, '--url', url])).toMatchObject({ code: 0 });
    expect(asked).toEqual([`/v1/runs/${runId}/attestations`]);
  });
});

describe('a failing command', () => {
  it.each([
    [['run', 'vetted-reprot'], 7, /There is no workflow vetted-reprot\.\nDid you mean vetted-report\?/],
    [['tail', '01a1-unknown'], 7, /There is no run 01a1-unknown\.\n"baton runs" lists the runs\./],
    [['run', 'hello', '--input', 'name'], 2, /has no name\.\nWrite --input name=value/],
    [['fork', 'r', '--at', 'x'], 2, /--at x is not the number of an event/],
    [['fork', 'r', '--input', 'a=1'], 2, /takes no --input\.\nAdd --branch/],
    [['runs', '--url', 'nonsense'], 2, /"nonsense" is not the address of a host/],
    [
      ['runs', '--url', 'http://127.0.0.1:1'],
      5,
      /No host answers at http:\/\/127\.0\.0\.1:1\.\nStart a host with "baton serve"/,
    ],
    [['runs', '--key', 'a-key-of-nobody'], 6, /does not accept the key\.\nGive a key with --key/],
    [['inbx'], 2, /Did you mean inbox\?/],
  ])('%j exits with %i and says what to do', async (args, exit, message) => {
    const { code, out, err } = await piped(args);
    expect({ code, out }).toEqual({ code: exit, out: '' });
    expect(err).toMatch(message);
  });

  it('prints its error as the last object with --json', async () => {
    const { code, out, err } = await piped(['run', 'vetted-reprot', '--json']);
    expect({ code, err }).toEqual({ code: 7, err: '' });
    expect(JSON.parse(out)).toEqual({
      error: 'not_found',
      message: 'There is no workflow vetted-reprot.',
      hint: 'Did you mean vetted-report?',
    });
  });

  it('exits with 3 when the run failed', async () => {
    const failing = {
      id: 'failing',
      nodes: [{ id: 'stop', typeId: 'core.fail', config: { message: 'No.' } }],
      edges: [],
    };
    const { status } = await fetch(`${host.url}/v1/workflows`, {
      method: 'POST',
      headers: { authorization: `Bearer ${host.env.BATON_API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(failing),
    });
    expect(status).toBeLessThan(300);
    const { code, out } = await piped(['run', 'failing']);
    expect(code).toBe(3);
    expect(out).toMatch(/failing {2}\S+ {2}failed/);
  });

  it('lists the exit codes in its help', async () => {
    const { code, out } = await piped(['--help']);
    expect(code).toBe(0);
    expect(out).toMatch(
      /Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n {2}3 .*\n {2}4 .*\n {2}5 .*\n {2}6 .*\n {2}7 .*\n {2}130 /,
    );
  });
});
