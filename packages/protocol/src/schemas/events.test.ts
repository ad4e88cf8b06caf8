import { describe, expect, it } from 'vitest';
import { problemWith } from '../validate.ts';
import { CHAIN_PHASES } from './events/handoff-events.ts';
import { EVENT_PAYLOADS, EVENT_TYPES, RunEventSchema } from './events.ts';

const envelope = {
  eventId: 'r:0',
  runId: 'r',
  sequence: 0,
  timestamp: '2030-01-01T00:00:00.000Z',
  type: 'run.completed',
  payload: {},
};

describe('the event catalogue', () => {
  it.each(EVENT_TYPES)('%s refuses fields that nobody declared', (type) => {
    expect(problemWith(EVENT_PAYLOADS[type], { smuggled: 'text' })).toBeDefined();
  });

  it('has one handoff event with the seven phases of a handoff', () => {
    const chain = { workerId: 'w', parentRunId: 'r' };
    for (const phase of CHAIN_PHASES) {
      expect(problemWith(EVENT_PAYLOADS['core.workflowChain.event'], { ...chain, phase })).toBeUndefined();
    }
    expect(CHAIN_PHASES).toHaveLength(7);
    expect(
      problemWith(EVENT_PAYLOADS['core.workflowChain.event'], { ...chain, phase: 'done' }),
    ).toMatchObject({
      field: 'phase',
    });
  });

  it('counts the turns of a supervisor from 1', () => {
    const decided = { agentId: 'agent', decision: { kind: 'terminate' } };
    const schema = EVENT_PAYLOADS['runOrchestrator.decided'];
    expect(problemWith(schema, { ...decided, iteration: 1 })).toBeUndefined();
    expect(problemWith(schema, { ...decided, iteration: 0 })).toMatchObject({ field: 'iteration' });
    expect(problemWith(schema, decided)).toMatchObject({ field: 'iteration' });
  });

  it('holds a decision inside an event to the same rules', () => {
    const decision = { kind: 'next-worker', nextWorkerIds: [] };
    const problem = problemWith(EVENT_PAYLOADS['runOrchestrator.decided'], {
      agentId: 'agent',
      iteration: 1,
      decision,
    });
    expect(problem).toMatchObject({ field: 'decision.nextWorkerIds' });
  });
});

describe('the event envelope', () => {
  it('accepts a whole event', () => {
    expect(problemWith(RunEventSchema, envelope)).toBeUndefined();
    expect(problemWith(RunEventSchema, { ...envelope, nodeId: 'a', causationId: 'r:1' })).toBeUndefined();
  });

  it.each([
    ['sequence', { ...envelope, sequence: -1 }],
    ['timestamp', { ...envelope, timestamp: 'now' }],
    ['type', { ...envelope, type: 'run.vanished' }],
    ['payload', { ...envelope, payload: null }],
    ['eventId', { ...envelope, eventId: '' }],
  ])('refuses a wrong %s', (field, event) => {
    expect(problemWith(RunEventSchema, event)).toMatchObject({ field });
  });
});
