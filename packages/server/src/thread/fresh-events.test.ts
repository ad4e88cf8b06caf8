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

function passedAlong(rootId: string, runs: readonly RunAdvance[]) {
  const flat: (string | number)[] = [];
  collectFreshEvents(flat, { rootId, runs });
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
