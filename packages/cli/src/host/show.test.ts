import { expect, it } from 'vitest';
import { outputTo } from '../output/output.ts';
import type { Session } from '../session.ts';
import { showHost } from './show-host.ts';
import { showUsage } from './show-usage.ts';

/** What `baton usage` and `baton host` print. */

function session(answers: object, flags: Session['flags'] = {}, form: 'lines' | 'json' = 'lines') {
  const printed: string[] = [];
  const out = outputTo(form, false, {
    print: (text: string) => void printed.push(text),
    note: () => undefined,
  } as never);
  return { printed, session: { baton: answers, out, flags } as unknown as Session };
}

const day = (name: string, inputTokens: number, more: object = {}) => ({
  day: name,
  inputTokens,
  outputTokens: 0,
  toolCalls: 0,
  ...more,
});
const HISTORY = {
  days: [day('2026-03-01', 5), day('2026-03-02', 0), day('2026-03-03', 7, { costUsd: 0.25 })],
  agents: [{ agentId: 'a.b', days: [day('2026-03-03', 7, { costUsd: 0.25 })] }],
};

function asking(flags: Session['flags'], form?: 'json') {
  const asked: object[] = [];
  const usageHistory = async (options: object) => {
    asked.push(options);
    return HISTORY;
  };
  return { asked, ...session({ usageHistory }, flags, form) };
}

it('prints the days on which something was used, and their sum', async () => {
  const { asked, printed, session: given } = asking({});
  expect(await showUsage(given)).toBe(0);
  expect(asked).toEqual([{}]);
  expect(printed.join('\n').split('\n')).toEqual([
    'DAY (UTC)   INPUT TOKENS  OUTPUT TOKENS  TOOL CALLS  COST (USD)',
    '2026-03-01  5             0              0           -',
    '2026-03-03  7             0              0           0.2500',
    'total       12            0              0           0.2500',
  ]);
});

it('prints agents, and the object of the host with --json', async () => {
  const { asked, printed, session: given } = asking({ agents: true, days: '7' });
  await showUsage(given);
  expect(asked).toEqual([{ days: 7, by: 'agent' }]);
  expect(printed.join()).toMatch(/^AGENT .*\na\.b +7 .*\ntotal of the tenant +12 /);
  const json = asking({}, 'json');
  await showUsage(json.session);
  expect(json.printed.map((line) => JSON.parse(line))).toEqual([HISTORY]);
});

it.each(['0', '367', '1.5', 'many', ''])('refuses --days "%s" before it asks the host', async (days) => {
  const { asked, session: given } = asking({ days });
  await expect(showUsage(given)).rejects.toMatchObject({ code: 'wrong_usage' });
  expect(asked).toEqual([]);
});

it('prints the facts about a host', async () => {
  const facts = {
    id: 'h1',
    version: '1.2.3',
    startedAt: '2026-03-01T10:20:30.000Z',
    storage: { kind: 'sqlite', bytes: 12_345_678, runs: 5, events: 60 },
    retention: { runsMs: 2 * 86_400_000 },
    limits: { maxConnections: 10 },
    keys: { count: 2 },
  };
  const { printed, session: given } = session({ host: { facts: async () => facts } });
  expect(await showHost(given)).toBe(0);
  const text = printed.join('\n');
  expect(text).toMatch(/^storage +sqlite, 12\.3 MB$/m);
  expect(text).toMatch(/^runs are kept +for 2 days$/m);
  expect(text).toMatch(/^memory is kept +until it is erased$/m);
  expect(text).toMatch(/^maxConnections +10$/m);
});
