import { describe, expect, it } from 'vitest';
import { banner, type Started } from './banner.ts';

const started: Started = {
  version: '1.2.3',
  url: 'http://127.0.0.1:4747',
  dataFolder: '/srv/.baton',
  usualDataFolder: '/srv/.baton',
  developmentKey: 'baton_dev_secret',
  workflows: ['hello', 'release-approval'],
  agents: ['local.desk.clerk', 'local.desk.writer'],
  heldRuns: 0,
};

describe('banner', () => {
  it('shows everything a newcomer needs, aligned', () => {
    expect(banner(started, false)).toBe(`
Baton 1.2.3

  address    http://127.0.0.1:4747
  data       /srv/.baton
  API key    baton_dev_secret (for development, kept in dev-key in the data folder)
  workflows  hello, release-approval
  agents     local.desk.clerk, local.desk.writer

In another terminal:

  npx baton run hello --input name=Ada --watch
  npx baton inbox

`);
  });

  it('shows the link to the console first, when there is a console', () => {
    const consoleLink = 'http://127.0.0.1:4747/#code=once';
    expect(banner({ ...started, consoleLink }, false)).toContain(`Baton 1.2.3

  console    http://127.0.0.1:4747/#code=once
  address    http://127.0.0.1:4747
`);
  });

  it("never shows an operator's key", () => {
    const text = banner({ ...started, developmentKey: undefined }, false);
    expect(text).toContain('API key    from BATON_API_KEY');
    expect(text).toContain('In another terminal, with BATON_API_KEY set:');
  });

  it('runs the first workflow of a folder that is not the examples', () => {
    const text = banner({ ...started, workflows: ['invoices', 'refunds'] }, false);
    expect(text).toContain('  npx baton run invoices --watch\n');
  });

  it.each([
    ['/var/baton', '/var/baton'],
    ["/home/ada/Ada's data", `'/home/ada/Ada'\\''s data'`],
  ])('names the data folder %s, in which a command would not look', (dataFolder, quoted) => {
    const text = banner({ ...started, dataFolder }, false);
    expect(text).toContain(`npx baton run hello --input name=Ada --watch --data ${quoted}\n`);
    expect(text).toContain(`npx baton inbox --data ${quoted}\n`);
  });

  it('has a command that works without any workflow', () => {
    const text = banner({ ...started, workflows: [] }, false);
    expect(text).toContain('workflows  none; name a folder of them with BATON_WORKFLOWS');
    expect(text).toContain('npx baton workflows push <file>\n');
  });

  it('says how to have agents when there are none', () => {
    expect(banner({ ...started, agents: [] }, false)).toContain(
      'agents     none; name a folder of them with BATON_AGENTS',
    );
  });

  it('does not list a hundred workflows', () => {
    const workflows = Array.from({ length: 100 }, (_, index) => `w${index}`);
    expect(banner({ ...started, workflows }, false)).toContain('w7 and 92 more\n');
  });

  it('uses colour only when asked, and says the same', () => {
    const coloured = banner(started, true);
    expect(coloured).toContain('\x1b[1mBaton\x1b[22m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is removed here
    expect(coloured.replace(/\x1b\[\d+m/g, '')).toBe(banner(started, false));
    expect(banner(started, false)).not.toContain('\x1b');
  });

  it('says how many runs are held, when there are any', () => {
    expect(banner(started, false)).not.toContain('held');
    expect(banner({ ...started, heldRuns: 1 }, false)).toContain('1 run that stopped the engine is held');
    expect(banner({ ...started, heldRuns: 2 }, false)).toContain('2 runs that stopped the engine are held');
  });
});
