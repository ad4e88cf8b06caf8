import type { RunAdvance } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import { collectFreshEvents, freshStretches } from './fresh-events.ts';

const advance = (
  runId: string,
  expectedHead: number,
  events: readonly string[],
  tenant?: string,
): RunAdvance => ({
  runId,
  expectedHead,
  events,
  ...(tenant !== undefined && {
    created: {
      runId,
      rootId: runId,
      tenant,
      principal: 'p',
      workflowId: 'w',
      workflowVersion: 1,
      tags: [],
      createdAt: 0,
    },
  }),
  status: 'running',
  at: 0,
  interruptsOpened: [],
  interruptsClosed: [],
});

function passedAlong(rootId: string, runs: readonly RunAdvance[], ...followed: readonly string[]) {
  const flat: (string | number)[] = [];
  collectFreshEvents(flat, { rootId, runs }, (runId) => followed.includes(runId));
  return [...freshStretches(flat)];
}

it('passes along the beginnings of root runs', () => {
  expect(passedAlong('r', [advance('r', 0, ['a', 'b'], 'acme'), advance('r.1', 0, ['c'], 'acme')])).toEqual([
    { runId: 'r', tenant: 'acme', first: 0, events: ['a', 'b'] },
  ]);
  expect(passedAlong('r', [advance('r', 2, ['c'])])).toEqual([
    { runId: 'r', tenant: '', first: 2, events: ['c'] },
  ]);
});

it('passes along nothing of long or large logs', () => {
  expect(passedAlong('r', [advance('r', 64, ['a'])])).toEqual([]);
  expect(passedAlong('r', [advance('r', 0, ['x'.repeat(70_000)], 'acme')])).toEqual([]);
});

it('passes along the new events of followed runs, however long their logs are', () => {
  const runs = [advance('r', 900, ['a']), advance('r.1', 70, ['b']), advance('r.2', 70, ['c'])];
  expect(passedAlong('r', runs, 'r', 'r.2')).toEqual([
    { runId: 'r', tenant: '', first: 900, events: ['a'] },
    { runId: 'r.2', tenant: '', first: 70, events: ['c'] },
  ]);
  expect(passedAlong('r', [advance('r', 900, ['x'.repeat(70_000)])], 'r')).toEqual([]);
});
