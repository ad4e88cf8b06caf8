import { openVault } from '@baton/engine';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { redactedLines } from './redacted-log.ts';

const SECRET = 'sk-live "quoted" \\ value';

it('takes secrets of every tenant out of each line, wherever they stand in it', () => {
  const vault = openVault(
    new Map([
      ['acme', new Map([['key', SECRET]])],
      ['*', new Map([['shared', 'everybodys-value']])],
    ]),
  );
  const lines: string[] = [];
  const log = pino(
    { hooks: { streamWrite: redactedLines(vault) } },
    { write: (line) => void lines.push(line) },
  );
  log.error(
    { err: new Error(`no luck with ${SECRET}`), url: '/v1/runs?k=everybodys-value' },
    `said ${SECRET}`,
  );
  log.info('nothing to hide');
  const told = lines.map((line) => JSON.parse(line));
  expect(told).toMatchObject([
    {
      err: { message: 'no luck with [REDACTED:key]' },
      url: '/v1/runs?k=[REDACTED:shared]',
      msg: 'said [REDACTED:key]',
    },
    { msg: 'nothing to hide' },
  ]);
  expect(lines.join('')).not.toMatch(/quoted|everybodys/);
  expect(lines.every((line) => line.endsWith('}\n'))).toBe(true);
});

it('takes out a secret that was set after the log was opened', () => {
  const vault = openVault();
  const redacted = redactedLines(vault);
  const line = `{"msg":"said late-secret-value"}\n`;
  expect(redacted(line)).toBe(line);
  vault.change({ kind: 'learn', tenant: 'acme', id: 'late', value: 'late-secret-value' });
  expect(redacted(line)).toBe(`{"msg":"said [REDACTED:late]"}\n`);
});
