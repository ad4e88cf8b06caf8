import type { RunEvent } from '@baton/client';
import { describe, expect, it } from 'vitest';
import { createMergeReader } from './fold-merges.ts';
import { outcomeOf, stagesOf } from './merge-view.ts';

type Given = readonly [type: string, payload: object, causedBy?: number];

/** Reads events of the node `n` of run `R`. An event names its cause by the number of the event. */
function read(...given: readonly Given[]) {
  const reader = createMergeReader();
  for (const [sequence, [type, payload, cause]] of given.entries()) {
    reader.add({
      eventId: `R:${sequence}`,
      runId: 'R',
      sequence,
      timestamp: new Date(sequence * 1000).toISOString(),
      type,
      nodeId: 'n',
      payload,
      ...(cause !== undefined && { causationId: `R:${cause}` }),
    } as unknown as RunEvent);
  }
  return reader;
}

const START: Given = ['run.started', { definition: 'd', variables: { report: 'old' } }];
const HANDED: Given = ['node.dispatched', { childRunId: 'R.1', childWorkflowId: 'writer' }];
const chain = (phase: string, more: object = {}): Given => [
  'core.workflowChain.event',
  { phase, childRunId: 'R.1', ...more },
];
const CHECKSUM = { attestation: { checksum: 'c1', algorithm: 'sha256' } };
const ASKED: Given = [
  'interrupt.requested',
  { kind: 'approval', data: { title: 'Take over?', artifactData: { text: 'new' }, ...CHECKSUM } },
];

describe('the merge gate of a handoff', () => {
  const reader = read(
    START,
    HANDED,
    chain('child.completed'),
    chain('output.harvested', CHECKSUM),
    ['baton.critic.started', { childRunId: 'R.1', criticRunId: 'R.2' }],
    [
      'agent.verified',
      { agentId: 'critic', target: 'R.1', verdict: 'pass', criteria: ['x'], confidence: 0.8 },
    ],
    ASKED,
    ['approval.received', { action: 'edit-accept', decidedBy: 'ada', comment: 'shorter' }],
    [
      'interrupt.resolved',
      { outcome: 'answered', resumeValue: { action: 'edit-accept', editedArtifactData: { text: 'e' } } },
    ],
    ['variable.changed', { name: 'report', next: 'e' }, 8],
    ['variable.changed', { name: 'other', next: 1 }, 1],
    ['baton.merge.settled', { merged: true, why: 'edited', editedChecksum: 'c2', ...CHECKSUM }],
  );
  const [merge] = reader.merges();

  it('has its stages with their events', () => {
    expect(merge && stagesOf(merge).map(({ name, state, at }) => [name, state, at?.sequence])).toEqual([
      ['attested', 'done', 3],
      ['verified', 'done', 5],
      ['approved', 'done', 8],
      ['merged', 'done', 11],
    ]);
    expect(merge).toMatchObject({ checksums: ['c1'], editedChecksum: 'c2', edited: { text: 'e' } });
    expect(merge?.critic).toMatchObject({
      criticRunId: 'R.2',
      verdict: { criteria: ['x'], confidence: 0.8 },
    });
    expect(merge?.approval?.votes).toMatchObject([{ by: 'ada', action: 'edit-accept', comment: 'shorter' }]);
  });

  it('has the values that the merge wrote, and those that they replaced, and no others', () => {
    expect(merge?.values).toMatchObject([{ name: 'report', next: 'e', previous: 'old', sequence: 9 }]);
    expect(merge?.values).toHaveLength(1);
    expect(reader.definition()).toBe('d');
  });

  it('tells a revision from a second handoff', () => {
    const revised = ['agent.verified', { agentId: 'c', target: 'R.1', verdict: 'revise' }] as const;
    const again = ['node.dispatched', { childRunId: 'R.3', childWorkflowId: 'writer' }] as const;
    const [first, second] = read(START, HANDED, chain('child.completed'), revised, again).merges();
    expect([first && outcomeOf(first), first?.attempt, second?.attempt]).toEqual(['revised', 1, 2]);
    expect(second && outcomeOf(second)).toBe('waiting');
    const other = read(START, HANDED, ['baton.merge.settled', { merged: false, why: 'rejected' }], again);
    expect(other.merges().map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it('is refused where the settled event says so, and shows different checksums', () => {
    const bad = { attestation: { checksum: 'c9', algorithm: 'sha256' } };
    const [refused] = read(START, HANDED, chain('output.harvested', CHECKSUM), ASKED, [
      'baton.merge.settled',
      { merged: false, why: 'expired', ...bad },
    ]).merges();
    expect(refused?.checksums).toEqual(['c1', 'c9']);
    expect(refused && stagesOf(refused).map(({ state }) => state)).toEqual([
      'done',
      'skipped',
      'refused',
      'refused',
    ]);
  });

  it('is not there for a handoff without checks', () => {
    const [plain] = read(START, HANDED, chain('child.completed'), [
      'variable.changed',
      { name: 'a', next: 1 },
      2,
    ]).merges();
    expect(plain).toMatchObject({ gated: false, values: [{ name: 'a', next: 1 }] });
    expect(plain && outcomeOf(plain)).toBe('merged');
  });
});

describe('the reader', () => {
  it('leaves out events that it has read', () => {
    const reader = createMergeReader();
    const event = {
      eventId: 'R:0',
      runId: 'R',
      sequence: 0,
      timestamp: '',
      type: HANDED[0],
      nodeId: 'n',
      payload: HANDED[1],
    };
    reader.add(event as unknown as RunEvent);
    reader.add(event as unknown as RunEvent);
    expect(reader.merges()).toHaveLength(1);
  });
});

describe('verdicts about decisions and tool results', () => {
  it('are kept apart from those about workers', () => {
    const reader = read(
      START,
      ['baton.critic.started', { target: 'R:7', criticRunId: 'R.4' }],
      ['agent.verified', { agentId: 'c', target: 'R:7', verdict: 'fail' }],
      HANDED,
      ['agent.verified', { agentId: 'c', target: 'call-1', verdict: 'pass' }],
    );
    expect(
      reader.judged().map(({ target, critic }) => [target, critic.verdict?.verdict, critic.criticRunId]),
    ).toEqual([
      ['R:7', 'fail', 'R.4'],
      ['call-1', 'pass', undefined],
    ]);
    expect(reader.merges()[0]?.gated).toBe(false);
  });
});
