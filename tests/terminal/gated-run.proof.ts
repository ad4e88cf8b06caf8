import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type ExampleHost, startExamples } from './example-host.ts';
import { comparable, inTerminal, type PseudoTerminal } from './pseudo-terminal.ts';

/** The gated example in a real terminal: what a person sees, compared with recorded screens. */
const host: ExampleHost = await startExamples();
afterAll(() => host.stop());

function baton(args: readonly string[], columns = 80, env: Record<string, string> = {}): PseudoTerminal {
  return inTerminal(args, { columns, env: { ...host.env, ...env } });
}

const WATCH = ['run', 'vetted-report', '--input', 'topic=owls', '--watch'];

/** The id of the run on the screen. */
function runOn(terminal: PseudoTerminal): string {
  const [id] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(terminal.lines().join('\n')) ?? [];
  if (id === undefined) throw new Error('There is no run on the screen.');
  return id;
}

async function waitingRun(): Promise<string> {
  const terminal = baton(WATCH);
  expect(await terminal.ended).toBe(4);
  return runOn(terminal);
}

describe('baton run --watch', () => {
  it.each([80, 200])('draws the tree on %i columns until the run waits for a person', async (columns) => {
    const terminal = baton(WATCH, columns);
    await terminal.shows(/● think/);
    expect(await terminal.ended).toBe(4);
    await expect(comparable(terminal.lines())).toMatchFileSnapshot(`screens/waiting-${columns}.txt`);
  });

  it('leaves one tree when the terminal is resized while it draws', async () => {
    const terminal = baton(WATCH);
    await terminal.shows(/● think/);
    terminal.resize(200, 40);
    await terminal.shows(/critic reads/);
    terminal.resize(60, 30);
    await terminal.shows(/critic: revise/);
    terminal.resize(80, 40);
    expect(await terminal.ended).toBe(4);
    await expect(comparable(terminal.lines())).toMatchFileSnapshot('screens/waiting-80.txt');
  });

  it('draws without colours if NO_COLOR is set', async () => {
    const terminal = baton(WATCH, 80, { NO_COLOR: '1' });
    expect(await terminal.ended).toBe(4);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with it.
    expect(terminal.written()).not.toMatch(/\x1b\[\d+m/);
    expect(terminal.written()).toContain('✓ editor');
  });

  it('prints plain lines on a terminal that cannot redraw them', async () => {
    const terminal = baton(WATCH, 80, { TERM: 'dumb' });
    expect(await terminal.ended).toBe(4);
    expect(terminal.written()).not.toContain('\x1b');
    expect(terminal.written()).toMatch(/\d\d:\d\d:\d\d {2}vetted-report started as/);
  });

  it('leaves the run alone when it is interrupted', async () => {
    const terminal = baton(WATCH);
    await terminal.shows(/● think/);
    const runId = runOn(terminal);
    terminal.type('\x03');
    expect(await terminal.ended).toBe(130);
    expect(terminal.lines().join('\n')).toContain('The run goes on.');
    const tail = baton(['tail', runId, '--until-waiting']);
    expect(await tail.ended).toBe(4);
  });
});

describe('decisions', () => {
  it('baton approve shows the artifact, asks, and goes on with the tree', async () => {
    const terminal = baton(['approve', await waitingRun(), '--watch']);
    await terminal.shows(/Accept this\?/);
    terminal.type('y\r');
    expect(await terminal.ended).toBe(0);
    await expect(comparable(terminal.lines())).toMatchFileSnapshot('screens/approved-80.txt');
  });

  it('baton approve sends nothing if the person does not say yes', async () => {
    const runId = await waitingRun();
    const terminal = baton(['approve', runId]);
    await terminal.shows(/Accept this\?/);
    terminal.type('why not?\r');
    expect(await terminal.ended).toBe(1);
    expect(terminal.lines().join('\n')).toContain('The question stays open.');
    expect(await baton(['reject', runId, '--yes', '--reason', 'too short']).ended).toBe(0);
  });

  it.each([
    ['Ctrl-C', '\x03', 130, 'The command was interrupted, so nothing was sent.'],
    ['Ctrl-D', '\x04', 1, 'Nothing was sent. The question stays open.'],
  ])('baton approve sends nothing after %s', async (_, key, code, message) => {
    const terminal = baton(['approve', await waitingRun()]);
    await terminal.shows(/Accept this\?/);
    terminal.type(key);
    expect(await terminal.ended).toBe(code);
    expect(terminal.lines().join('\n')).toContain(message);
  });

  it('baton approve asks on the terminal where its output is a pipe, and with --json', async () => {
    const runId = await waitingRun();
    const terminal = inTerminal(['approve', runId, '--json'], { env: host.env, outTo: 'cat' });
    await terminal.shows(/sha256 [\s\S]*Accept this\? \[y\/N\]/);
    terminal.type('y');
    terminal.type('es\r');
    expect(await terminal.ended).toBe(0);
    expect(terminal.lines().join('')).toContain(`"runId":"${runId}"`);
  });

  it('baton edit opens the editor again if the text is not JSON, shows the difference and asks', async () => {
    const editor = join(host.folder, 'editor.mjs');
    writeFileSync(
      editor,
      `import { readFileSync, writeFileSync } from 'node:fs';
       const file = process.argv[2];
       const text = readFileSync(file, 'utf8');
       writeFileSync(file, text.startsWith('{') ? '[broken' : '{"text": "Owls, checked by hand."}');`,
    );
    const terminal = baton(['edit', await waitingRun()], 80, { EDITOR: `${process.execPath} ${editor}` });
    await terminal.shows(/Edit it again\?/);
    terminal.type('y\r');
    await terminal.shows(/with these changes\?/);
    terminal.type('y\r');
    expect(await terminal.ended).toBe(0);
    // The host answers before the run has ended, or after it.
    const lines = terminal.lines().map((line) => line.replace(/ is running\.$/, ' is completed.'));
    await expect(comparable(lines)).toMatchFileSnapshot('screens/edited-80.txt');
  });
});
