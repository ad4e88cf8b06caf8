import type { RunEvent } from '@baton/protocol';
import { expect, it } from 'vitest';
import type { ForkPoint } from '../../ports/store.ts';
import { evolve } from './evolve.ts';
import { adopt } from './evolve-fork.ts';

const payload = {
  workflowId: 'w',
  workflowVersion: 1,
  definition: '0'.repeat(64),
  inputs: {},
  variables: {},
  owner: { tenant: 't', principal: 'p' },
  limits: {},
};
const started = { eventId: 'r:0', runId: 'r', sequence: 0, timestamp: '', type: 'run.started', payload };

it('leaves the calls that its source has counted to the source, also those of each agent', () => {
  const used = { inputTokens: 7, outputTokens: 5, toolCalls: 1, costUsd: 0.5 };
  const source = {
    ...evolve(undefined, started as unknown as RunEvent, 0),
    usage: used,
    spent: used,
    spentBy: { 'local.desk.clerk': used },
  };
  const fork = { sourceRunId: 'r', fromSeq: 1, mode: 'branch', models: 'live', live: [] } as const;
  const point: ForkPoint = { runId: 'f', createdAt: 9, fork };
  const run = adopt(source, point);
  // Otherwise the first call of the fork would be counted together with all calls before it, a second time.
  expect(run.spent).toBeUndefined();
  expect(run.spentBy).toBeUndefined();
  expect(run.usage).toEqual(used);
});
