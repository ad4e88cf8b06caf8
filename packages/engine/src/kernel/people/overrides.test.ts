import { describe, expect, it } from 'vitest';
import { simulate } from '../../../../conformance/src/testkit/simulation.ts';
import { node, workflow } from '../../../../conformance/src/testkit/workflows.ts';

const gate = (config: Record<string, unknown> = {}) =>
  simulate([workflow('w', [node('gate', 'core.approvalGate', config)])]);

describe('votes, as auditors read them', () => {
  it('say who granted, and how far the quorum is', () => {
    const run = gate({ requiredApprovals: 2 });
    run.resolve('gate', { action: 'accept', voter: 'someone' }, { by: 'ana' });
    run.resolve('gate', { action: 'accept' }, { by: 'bo' });
    const granted = run.of('approval.granted');
    expect(granted.map((event) => event.payload)).toEqual([
      { gateId: 'gate:1:1', principal: 'ana', quorumProgress: { granted: 1, required: 2 } },
      { gateId: 'gate:1:1', principal: 'bo', quorumProgress: { granted: 2, required: 2 } },
    ]);
    const received = run.of('approval.received').map((event) => event.eventId);
    expect(granted.map((event) => event.causationId)).toEqual(received);
  });

  it('do not count a voter twice, nor one who changed sides', () => {
    const run = gate({ requiredApprovals: 3, rejectionPolicy: 'majority' });
    run.resolve('gate', { action: 'accept', voter: 'a' });
    run.resolve('gate', { action: 'accept', voter: 'a' });
    run.resolve('gate', { action: 'reject', voter: 'a' });
    run.resolve('gate', { action: 'accept', voter: 'b' });
    const progress = run.of('approval.granted').map((event) => event.payload.quorumProgress.granted);
    expect(progress).toEqual([1, 1, 1]);
  });

  it('count an edited acceptance as granted', () => {
    const run = gate({ actions: ['edit-accept'] });
    run.resolve('gate', { action: 'edit-accept', editedArtifactData: {} });
    expect(run.of('approval.granted')).toHaveLength(1);
  });

  it.each([
    [{ action: 'reject' }, {}],
    [{ action: 'reject', comment: 'too early' }, { reason: 'too early' }],
    [{ action: 'reject', comment: 'x', reason: 'too early' }, { reason: 'too early' }],
  ])('say who rejected, and why: %j', (answer, told) => {
    const run = gate();
    run.resolve('gate', answer, { by: 'bo' });
    const [rejected] = run.of('approval.rejected');
    expect(rejected?.payload).toEqual({ gateId: 'gate:1:1', principal: 'bo', ...told });
    expect(rejected?.causationId).toBe(run.of('approval.received')[0]?.eventId);
    expect(run.of('approval.granted')).toEqual([]);
  });

  it('are not there for what is no vote', () => {
    const refined = gate({ actions: ['refine', 'ask'] });
    refined.resolve('gate', { action: 'ask', question: 'Why?' });
    refined.resolve('gate', { action: 'refine', refineFeedback: { scope: 'whole' } });
    const late = gate({ timeoutMs: 1000 });
    late.tick(1000);
    for (const run of [refined, late]) {
      expect(run.types()).not.toContain('approval.granted');
      expect(run.types()).not.toContain('approval.rejected');
    }
  });
});

describe('an override', () => {
  const scopes = ['approvals:override'];
  const override = { action: 'accept', override: true, reason: 'The site is down.' };
  const strict = () =>
    gate({ requiredApprovals: 3, approversList: ['bo', 'cy', 'di'], overrideBypassesQuorum: true });

  it('settles the question alone, and the log says who and why', () => {
    const run = strict();
    run.resolve('gate', override, { by: 'ana', scopes });
    expect(run.status()).toBe('completed');
    const [overridden] = run.of('approval.overridden');
    expect(overridden?.payload).toEqual({
      gateId: 'gate:1:1',
      principal: 'ana',
      reason: 'The site is down.',
    });
    const [received] = run.of('approval.received');
    expect(received?.payload).toMatchObject({ action: 'accept', decidedBy: 'ana' });
    expect(overridden?.causationId).toBe(received?.eventId);
    expect(run.of('approval.granted')).toEqual([]);
    expect(run.of('interrupt.resolved')[0]?.payload).toMatchObject({
      outcome: 'answered',
      resolvedBy: 'ana',
    });
  });

  it.each([
    ['by a key without the scope', strict, { by: 'ana', scopes: ['approvals:respond'] }],
    ['by an approver without the scope', strict, { by: 'bo', scopes: [] }],
    ['by a signed token, whatever it claims', strict, { viaToken: true, scopes }],
    ['where the gate does not allow it', () => gate(), { by: 'ana', scopes }],
    ['where the gate forbids it', () => gate({ overrideBypassesQuorum: false }), { by: 'ana', scopes }],
  ])('is forbidden %s, and leaves no trace', (_what, make, options) => {
    const run = make();
    const before = run.events().length;
    expect(() => run.resolve('gate', override, options)).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    );
    expect(run.status()).toBe('waiting-approval');
    expect(run.events()).toHaveLength(before);
  });

  it.each([
    ['no reason', { action: 'accept', override: true }, 'reason'],
    ['an empty reason', { ...override, reason: '' }, 'reason'],
    ['a blank reason', { ...override, reason: '  ' }, 'reason'],
    ['another action', { ...override, action: 'reject' }, 'override'],
    ['an override that is neither true nor false', { ...override, override: 'yes' }, 'override'],
  ])('is refused with %s, naming the field', (_what, answer, field) => {
    const run = strict();
    expect(() => run.resolve('gate', answer, { scopes })).toThrow(
      expect.objectContaining({ code: 'validation_error', details: expect.objectContaining({ field }) }),
    );
    expect(run.status()).toBe('waiting-approval');
  });

  it('that is not one is a vote like any other', () => {
    const run = strict();
    run.resolve('gate', { action: 'accept', override: false }, { by: 'bo', scopes });
    expect(run.status()).toBe('waiting-approval');
    expect(run.types()).not.toContain('approval.overridden');
  });
});
