import { EVENT_TYPES, type RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { evolve } from './evolve.ts';

const event = (type: string, sequence: number, payload: object = {}) =>
  ({ eventId: `r:${sequence}`, runId: 'r', sequence, timestamp: '', type, payload }) as unknown as RunEvent;

const started = event('run.started', 0, {
  workflowId: 'w',
  workflowVersion: 1,
  definition: '0'.repeat(64),
  inputs: {},
  variables: {},
  owner: { tenant: 't', principal: 'p' },
  limits: {},
});

describe('the fold', () => {
  it.each(EVENT_TYPES.filter((type) => type !== 'run.started'))('does not begin a log with %s', (type) => {
    expect(() => evolve(undefined, event(type, 0), 0)).toThrow(`must begin with run.started, not ${type}`);
  });

  it('begins a run once', () => {
    const run = evolve(undefined, started, 0);
    const again = { ...started, sequence: 1 } as RunEvent;
    expect(() => evolve(run, again, 1)).toThrow('may only be the first event');
  });

  it('refuses a sequence that is not the next one', () => {
    const run = evolve(undefined, started, 0);
    expect(() => evolve(run, event('run.paused', 2), 1)).toThrow('expected sequence 1 of run r, found 2');
  });

  it.each(['baton.run.renamed', 'toString', '__proto__', ''])('refuses an event of type "%s"', (type) => {
    const run = evolve(undefined, started, 0);
    expect(() => evolve(run, event(type, 1), 1)).toThrow(`cannot fold an event of type ${type}`);
  });

  it('counts an event that only tells something, and leaves its run as it was', () => {
    const run = evolve(undefined, started, 0);
    expect(evolve(run, event('agent.reasoned', 1), 5)).toEqual({ ...run, head: 2, at: 5 });
  });
});
