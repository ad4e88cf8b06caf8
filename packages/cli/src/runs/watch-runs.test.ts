import type { RunSummary } from '@baton/protocol';
import { expect, it } from 'vitest';
import { paintFor } from '../output/output.ts';
import type { Session } from '../session.ts';
import { watchRuns } from './watch-runs.ts';

const run = (runId: string, more: Partial<RunSummary> = {}): RunSummary => ({
  runId,
  workflowId: 'w',
  status: 'running',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:01.000Z',
  ...more,
});

it('prints the newest runs, then wanted runs that change, and after a reset only what is new', async () => {
  const changes = [
    { kind: 'reset' },
    {
      kind: 'run',
      run: run('b', { status: 'failed', turn: 2, error: { code: 'c', message: 'It\u001b[31m broke.' } }),
    },
    { kind: 'run', run: run('a.1', { parentRunId: 'a' }) },
    { kind: 'run', run: run('c', { workflowId: 'other' }) },
    { kind: 'reset' },
  ];
  const pages = [
    [run('b'), run('a')],
    [
      run('d', {
        status: 'waiting-approval',
        waitingFor: [{ runId: 'd', nodeId: 'n', kind: 'approval', since: '' }],
      }),
      run('a'),
    ],
  ];
  const lines: string[] = [];
  const asked: unknown[] = [];
  const session = {
    baton: {
      runs: {
        watch: async function* () {
          yield* changes;
        },
        page: async (query: unknown) => {
          asked.push(query);
          return { runs: pages.shift() };
        },
      },
    },
    out: { form: 'lines', paint: paintFor(false), give: (_: unknown, line: string) => void lines.push(line) },
    flags: {},
  } as unknown as Session;
  const filters = {
    roots: true,
    workflowId: 'w',
    status: ['running', 'failed', 'waiting-approval'] as const,
  };
  await expect(watchRuns(session, { filters, newest: 1000 })).rejects.toThrow('ended');
  expect(asked).toEqual([
    { ...filters, limit: 200 },
    { ...filters, limit: 200 },
  ]);
  expect(lines).toEqual([
    '2026-01-01 00:00:01  a  w  running',
    '2026-01-01 00:00:01  b  w  running',
    '2026-01-01 00:00:01  b  w  failed  turn 2 · It\\u001b[31m broke.',
    '2026-01-01 00:00:01  d  w  waiting-approval  approval at n',
  ]);
});
