import { expect, it } from 'vitest';
import { isTerminal, isWaiting, RUN_STATUSES } from './status.ts';

it('knows which statuses a run never leaves', () => {
  expect(RUN_STATUSES.filter(isTerminal)).toEqual(['completed', 'failed', 'cancelled']);
});

it('knows which statuses wait for somebody', () => {
  expect(RUN_STATUSES.filter(isWaiting)).toEqual(['waiting-approval', 'waiting-input', 'waiting-external']);
});
