import { readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
import { comparable } from '../terminal/pseudo-terminal.ts';
import { type DocumentedHost, startDocumentedHost } from './documented-host.ts';
import { everySnippetOf } from './every-snippet.ts';
import { NPX_BATON, openShell } from './shell.ts';

/** The README, as a newcomer follows it: a host in one terminal, the commands in another. */
const host: DocumentedHost = await startDocumentedHost();
afterAll(() => host?.stop());

const WAITING_SCREEN = new URL('../terminal/screens/waiting-80.txt', import.meta.url);

everySnippetOf('README.md', async (take) => {
  // The first command has started the host of this test, and the second one runs this test.
  expect(take('sh')).toBe('npm start\nnpm test\n');
  // tests/terminal compares the screen with that of a real terminal.
  const picture = comparable(take('').trimEnd().split('\n'));
  expect(readFileSync(WAITING_SCREEN, 'utf8')).toContain(picture);

  // Other hosts may run on this machine.
  const pkill = `[ "$*" = '-9 -f scripts/start.mjs' ] && kill -9 ${host.pid}`;
  const shell = openShell({ folder: host.folder, commands: { npx: NPX_BATON, pkill } });
  const { enter } = shell;
  expect((await enter(take('sh'))).out).toContain('Hello, Ada!');
  expect((await enter(take('sh'))).out).toContain('On tides:');

  expect(await enter(take('sh'))).toEqual({ out: '', failed: [] });
  await host.again();
  expect((await enter(take('sh'))).out).toMatch(/completed/);

  expect((await enter(take('sh'))).failed).toEqual(['4: npx baton tail $RUN --until-waiting']);
  const decided = await enter(take('sh'));
  expect(decided).toMatchObject({ failed: [], out: expect.stringMatching(/✓ +report .*operator/) });

  const rewound = await enter(take('sh'));
  expect(rewound).toMatchObject({ failed: [], out: expect.stringContaining('before event 4') });
  expect(rewound.out).toMatch(/accept/);
  expect((await enter(take('sh'))).failed).toEqual([]);

  const agents = await enter(take('sh'));
  expect(agents.out).toContain('local.research-team.lead');
  expect(agents.failed).toEqual([expect.stringMatching(/^4: npx baton run research-team /)]);
  await shell.close();
});
