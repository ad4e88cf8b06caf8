import { expect, it } from 'vitest';
import type { RunRow, RunWait } from '../../api/runs/run-row.ts';
import { reasonOf } from './reason.ts';

const at = '2026-01-01T00:00:00.000Z';
const run: RunRow = { runId: 'r', workflowId: 'w', status: 'running', createdAt: at, updatedAt: at };
const wait: RunWait = { kind: 'approval', nodeId: 'gate', since: at, runId: 'r' };

it('names nobody while a run works', () => {
  expect(reasonOf(run)).toBeUndefined();
});

it.each([
  ['a person', [wait], 'a person to approve at gate', 0],
  ['a child run', [{ ...wait, runId: 'r.1' }, wait], 'a person to approve at gate of a child run', 1],
  [
    'another system',
    [{ ...wait, kind: 'external-event' as const }],
    'an event from another system at gate',
    0,
  ],
  ['a kind of a later version', [{ ...wait, kind: 'new' as 'custom' }], 'an answer at gate', 0],
])('says that a run waits for %s', (_, waitingFor, text, more) => {
  expect(reasonOf({ ...run, status: 'waiting-approval', waitingFor })).toMatchObject({
    kind: 'waits',
    text,
    more,
  });
});

it('knows the kind from the status where the host tells no more', () => {
  expect(reasonOf({ ...run, status: 'waiting-input' })).toMatchObject({ text: 'a person to answer' });
});

it('says why a run failed, or that it gave up', () => {
  const error = { code: 'x', message: 'The tool is gone.' };
  expect(reasonOf({ ...run, status: 'failed', error })).toEqual({
    kind: 'failed',
    text: 'The tool is gone.',
  });
  expect(reasonOf({ ...run, status: 'completed', goalMet: false })).toEqual({ kind: 'gave-up' });
});
