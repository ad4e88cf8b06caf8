import type { RunEvent } from '@baton/client';
import { describe, expect, it } from 'vitest';
import { backgroundOf, endingOf, requestOf } from './background.ts';

/** A log of the events that a test names, all at the node `gate`. */
function log(
  ...events: readonly (readonly [type: string, payload: object, nodeId?: string])[]
): readonly RunEvent[] {
  return events.map(([type, payload, nodeId = 'gate'], sequence) => ({
    eventId: String(sequence),
    runId: 'r',
    sequence,
    type,
    nodeId,
    payload,
    timestamp: `2026-01-01T00:00:0${sequence}.000Z`,
  })) as unknown as readonly RunEvent[];
}

const place = { nodeId: 'gate', interruptId: 'gate:2' };
const critic = (childRunId: string, attempt: number): readonly [string, object] => [
  'baton.critic.started',
  { workerId: 'w', childRunId, criticRunId: `${childRunId}-critic`, attempt, timeoutMs: 1 },
];
const verified = (target: string, verdict: string): readonly [string, object] => [
  'agent.verified',
  { agentId: 'critic', target, verdict, criteria: ['sources'], confidence: 0.9 },
];
const asked = (
  key: string,
  artifactData: unknown,
  artifactType = 'node-inputs',
): readonly [string, object] => [
  'interrupt.requested',
  { kind: 'approval', key, data: { artifactType, artifactData } },
];

describe('the background of a question', () => {
  it('names the last verdict at the node and the run of its critic', () => {
    const events = log(critic('a', 1), verified('a', 'revise'), critic('b', 2), verified('b', 'pass'));
    expect(backgroundOf(events, place).judgement).toEqual({
      critic: 'critic',
      verdict: 'pass',
      criteria: ['sources'],
      confidence: 0.9,
      criticRunId: 'b-critic',
    });
    expect(backgroundOf(events, { ...place, nodeId: 'other' }).judgement).toBeUndefined();
  });

  it('finds the attempt before the one that is asked about', () => {
    expect(backgroundOf(log(critic('a', 1), critic('b', 2)), place).revision).toEqual({
      kind: 'run',
      runId: 'a',
    });
    expect(backgroundOf(log(critic('a', 1)), place).revision).toBeUndefined();
  });

  it('does not take the work of an earlier turn for a revision', () => {
    expect(backgroundOf(log(critic('a', 1), critic('b', 2), critic('c', 1)), place).revision).toBeUndefined();
    // An earlier handoff of the same node had a first attempt, too.
    const again = log(critic('a', 1), critic('b', 1), critic('c', 2));
    expect(backgroundOf(again, place).revision).toEqual({ kind: 'run', runId: 'b' });
  });

  it('finds the artifact of the question before, if it was of the same type', () => {
    const events = log(asked('gate:1', { v: 1 }), asked('gate:2', { v: 2 }));
    expect(backgroundOf(events, place).revision).toEqual({ kind: 'value', value: { v: 1 } });
    const others = log(asked('gate:1', { v: 1 }, 'tool-call'), asked('gate:2', { v: 2 }));
    expect(backgroundOf(others, place).revision).toBeUndefined();
  });

  it('counts the votes and the questions back of this question only', () => {
    const vote = (interruptId: string, voter: string) =>
      [
        'approval.received',
        { nodeId: 'gate', interruptId, action: 'accept', voter, comment: 'Good.' },
      ] as const;
    const question = (interruptId: string) =>
      [
        'clarification.requested',
        { nodeId: 'gate', interruptId, questions: [{ id: '1', question: 'Why?' }], askedBy: 'bob' },
      ] as const;
    const { votes, asked: back } = backgroundOf(
      log(vote('gate:1', 'ada'), vote('gate:2', 'bob'), question('gate:1'), question('gate:2')),
      place,
    );
    expect(votes).toEqual([
      { by: 'bob', action: 'accept', comment: 'Good.', at: '2026-01-01T00:00:01.000Z' },
    ]);
    expect(back).toEqual([{ by: 'bob', question: 'Why?', at: '2026-01-01T00:00:03.000Z' }]);
  });

  it('names the person who started the run', () => {
    expect(
      backgroundOf(log(['run.started', { owner: { tenant: 't', principal: 'ada' } }]), place).startedBy,
    ).toBe('ada');
  });
});

it('finds the question as it was recorded', () => {
  expect(requestOf(log(asked('gate:1', 1), asked('gate:2', 2)), 'gate:1')?.data.artifactData).toBe(1);
});

it('tells who closed a question, and how', () => {
  const resolved = (interruptId: string, payload: object) =>
    ['interrupt.resolved', { nodeId: 'gate', interruptId, kind: 'approval', ...payload }] as const;
  const events = log(
    resolved('gate:1', { outcome: 'timeout' }),
    resolved('gate:2', { outcome: 'rejected', resolvedBy: 'ada', resumeValue: { action: 'reject' } }),
  );
  expect(endingOf(events, 'gate:2')).toEqual({
    outcome: 'rejected',
    action: 'reject',
    by: 'ada',
    at: '2026-01-01T00:00:01.000Z',
  });
  expect(endingOf(events, 'gate:1')).toMatchObject({ outcome: 'timeout' });
  expect(endingOf(events, 'gate:3')).toBeUndefined();
});
