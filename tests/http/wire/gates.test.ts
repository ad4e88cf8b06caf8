import { digest } from '@baton/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { ALL_SCOPES, sharedHost } from '../host.ts';
import { type Bag, boss, declare, END, line, node, to } from './definitions.ts';
import { type Observed, observing } from './observing.ts';

/** Attestations, verdicts and scopes of sub-runs as clients see them, on both nodes that hand work over. */

const OUT = { outputMapping: { report: 'text' } };
const APPROVAL = { outputAttestation: { checksum: true, requireApproval: true } };
const critic = (id: string, verdict: string, confidence?: number) =>
  line(id, [node('judge', 'core.noop')], {
    variables: declare({ verdict, ...(confidence !== undefined && { confidence }) }),
  });
const by = (workflowId: string, more: Bag = {}) => ({ verifier: { workflowId, maxRevisions: 0, ...more } });

const GATES: Readonly<Record<string, Bag>> = {
  open: {},
  checked: { outputAttestation: { checksum: true } },
  approved: APPROVAL,
  expiring: { outputAttestation: { requireApproval: true, timeoutMs: 20 } },
  passed: by('passes'),
  failed: by('fails'),
  mute: by('says-nothing'),
  missing: by('nobody'),
  unsure: by('unsure'),
  certain: by('certain'),
  revised: by('moody', { maxRevisions: 1, criteria: ['grounded'] }),
  stubborn: by('revises', { maxRevisions: 1 }),
  narrow: { outputAttestation: { principalScope: ['runs:read'] } },
  'narrow-judged': { outputAttestation: { principalScope: ['runs:read'] }, ...by('passes') },
};
const WORKFLOWS = [
  line('writer', [node('write', 'core.noop')], { variables: declare({ text: 'draft', note: 'private' }) }),
  line('careful', [node('write', 'core.noop', {}, { settings: { requiredScopes: ['runs:cancel'] } })], {
    variables: declare({ text: 'draft' }),
  }),
  critic('passes', 'pass'),
  critic('fails', 'fail'),
  critic('revises', 'revise'),
  critic('unsure', 'pass', 0.4),
  critic('certain', 'pass', 0.5),
  line('says-nothing', [node('judge', 'core.noop')]),
  line('moody', [
    node('judge', 'vendor.baton.set', {
      assign: { verdict: 'inputs.attempt > 1 ? "pass" : "revise"', feedback: '"cite sources"' },
    }),
  ]),
  line(
    'restricted-critic',
    [node('judge', 'core.noop', {}, { settings: { requiredScopes: ['runs:cancel'] } })],
    {
      variables: declare({ verdict: 'pass' }),
    },
  ),
  ...Object.entries(GATES).flatMap(([name, settings]) =>
    ['writer', 'careful'].flatMap((workerId) => [
      boss(`dispatch-${name}-${workerId}`, [to(workerId), END], OUT, settings),
      line(`sub-${name}-${workerId}`, [
        node('hand', 'core.subWorkflow', { workflowId: workerId, ...OUT }, { settings }),
      ]),
    ]),
  ),
  line('absorbs', [
    node(
      'hand',
      'core.subWorkflow',
      { workflowId: 'writer', ...OUT, onChildFailure: 'absorb' },
      { settings: APPROVAL },
    ),
  ]),
  ...Object.entries({
    'in-one-order': { a: 'text', b: 'note' },
    'in-another-order': { b: 'note', a: 'text' },
    'with-gaps': { a: 'text', again: 'text', gone: 'nothing' },
    unmapped: {},
  }).map(([name, outputMapping]) =>
    line(`digest-${name}`, [
      node(
        'hand',
        'core.subWorkflow',
        { workflowId: 'writer', outputMapping },
        { settings: { outputAttestation: { checksum: true } } },
      ),
    ]),
  ),
  boss(
    'digest-of-worker',
    [to('writer'), END],
    { ...OUT, perWorkerOutputMappings: { writer: { report: 'note' } } },
    APPROVAL,
  ),
  boss('two-gated', [to('writer', 'careful'), END], OUT, APPROVAL),
  boss(
    'ends-over-it',
    [to('writer'), { ...END, successCriteria: [{ key: 'cited', met: true }] }],
    OUT,
    by('fails'),
  ),
  boss('gives-up', [{ ...END, successCriteria: [{ key: 'cited', met: false }] }]),
  boss('judged-by-restricted', [to('writer'), END], OUT, by('restricted-critic')),
];
const { run, after, look, cancel, settle, answer } = observing(() => host);
const host = await sharedHost({ workflows: WORKFLOWS }, [
  { token: 'runner', tenant: 'default', scopes: ALL_SCOPES.filter((scope) => scope !== 'runs:cancel') },
]);
afterAll(() => host.stop());

const report = ({ snapshot }: Observed) => snapshot.variables.report;
const verdicts = (seen: Observed) => seen.of('agent.verified').map(({ payload }) => payload.verdict);
const completion = (seen: Observed) =>
  seen.of('node.completed').find(({ nodeId }) => nodeId === 'hand')?.payload.outputs;
const DRAFT = { checksum: digest({ text: 'draft' }), algorithm: 'sha256' };

describe.each(['dispatch', 'sub'])('a gate over HTTP, on a %s', (way) => {
  const gated = (name: string, worker = 'writer') => run(`${way}-${name}-${worker}`);

  it('ATTEST-02 VERIFY-13 merges without a word where there is no gate', async () => {
    const seen = await gated('open');
    expect([report(seen), seen.snapshot.status]).toEqual(['draft', 'completed']);
    for (const type of ['agent.verified', 'interrupt.requested', 'baton.merge.settled'])
      expect(seen.types).not.toContain(type);
  });

  it('shows the digest on output.harvested and on the completion', async () => {
    verifies('ATTEST-03', 'ATTEST-04', 'ATTEST-06', 'ATTEST-07', 'ATTEST-20', 'SCEN-14');
    const seen = await gated('checked');
    const harvested = seen.chain().at(-1)?.payload;
    expect(harvested).toMatchObject({ phase: 'output.harvested', attestation: DRAFT });
    expect(Object.keys(harvested.attestation).sort()).toEqual(['algorithm', 'checksum']);
    expect(completion(seen)).toMatchObject({ attestation: DRAFT });
    expect(report(seen)).toBe('draft');
  });

  it('ATTEST-09 ATTEST-10 SCEN-15 asks with the outputs before anything is merged', async () => {
    const seen = await gated('approved');
    expect(seen.snapshot).toMatchObject({
      status: 'waiting-approval',
      interrupt: { kind: 'approval', data: { artifactData: { text: 'draft' }, attestation: DRAFT } },
    });
    expect([...seen.snapshot.interrupt.data.actions].sort()).toEqual([
      'accept',
      'ask',
      'edit-accept',
      'reject',
    ]);
    expect(seen.snapshot.variables).toEqual({});
  });

  it.each([
    ['ATTEST-11 accept', { action: 'accept' }, 'draft'],
    ['ATTEST-12 edit-accept', { action: 'edit-accept', editedArtifactData: { text: 'better' } }, 'better'],
  ])('%s merges, and the log says who allowed it', async (_action, value, merged) => {
    const { runId } = await gated('approved');
    const done = await after(runId, 'hand', value);
    expect([report(done), done.snapshot.status]).toEqual([merged, 'completed']);
    const resolved = done.of('interrupt.resolved')[0];
    expect(done.of('variable.changed').map(({ causationId }) => causationId)).toEqual([resolved?.eventId]);
    expect(done.of('approval.received')[0]?.payload.decidedBy).toBeDefined();
  });

  it('ATTEST-14 a question back leaves it waiting', async () => {
    const { runId } = await gated('approved');
    const asked = await after(runId, 'hand', { action: 'ask', question: 'Who says so?' });
    expect([asked.snapshot.status, asked.snapshot.variables]).toEqual(['waiting-approval', {}]);
  });

  it.each<[string, string, (runId: string) => Promise<Observed>]>([
    ['ATTEST-13 it is rejected', 'approved', (id) => after(id, 'hand', { action: 'reject' })],
    ['ATTEST-15 the run is cancelled', 'approved', (id) => cancel(id)],
    ['ATTEST-15 nobody answers in time', 'expiring', (id) => settle(id)],
  ])('FAIL-02 ATTEST-19 SCEN-15 merges nothing when %s', async (_what, name, act) => {
    const { runId } = await gated(name);
    let seen = await act(runId);
    // An expiry is waited for through the log; the status of a run that waits for a person says nothing of it.
    while (seen.snapshot.status === 'waiting-approval' && name === 'expiring') {
      await host.get(`/v1/runs/${runId}/events/poll?lastSequence=${seen.snapshot.lastSequence}&timeout=20`);
      seen = await look(runId);
    }
    expect(seen.snapshot.variables).toEqual({});
    expect(seen.types).not.toContain('variable.changed');
    expect([404, 409, 410]).toContain(await answer(runId, 'hand', { action: 'accept' }));
    for (const { payload } of seen.of('baton.merge.settled')) expect(payload.merged).toBe(false);
  });

  it('a pass comes before the merge, and says nothing of what it judged', async () => {
    verifies(
      'VERIFY-01',
      'VERIFY-02',
      'VERIFY-04',
      'VERIFY-05',
      'VERIFY-12',
      'SCEN-12',
      'SCEN-13',
      'READ-32',
    );
    const seen = await gated('passed');
    const [verified] = seen.of('agent.verified');
    expect(verified?.payload).toEqual({
      agentId: expect.any(String),
      target: `${seen.runId}.1`,
      verdict: 'pass',
    });
    expect(verified!.payload.agentId.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(verified)).not.toContain('draft');
    const [merged] = seen.of('variable.changed');
    expect(merged?.causationId).toBe(verified?.eventId);
    expect((await look(`${seen.runId}.2`)).snapshot).toMatchObject({ role: 'critic', workflowId: 'passes' });
  });

  it.each([
    ['VERIFY-09 fail', 'failed', ['fail']],
    ['READ-21 no verdict', 'mute', ['fail']],
    ['READ-21 no such critic', 'missing', ['fail']],
    ['VERIFY-11 revise, more often than allowed', 'stubborn', ['revise', 'revise']],
  ])('%s blocks the merge, and the run is no success', async (_what, name, expected) => {
    verifies('FAIL-09', 'VERIFY-10', 'SCEN-12', 'SCEN-13');
    const seen = await gated(name);
    expect(verdicts(seen)).toEqual(expected);
    for (const { payload } of seen.of('agent.verified'))
      expect(Object.keys(payload).sort()).toEqual(['agentId', 'target', 'verdict']);
    expect(seen.snapshot.variables).toEqual({});
    expect(seen.snapshot.status).not.toBe('completed');
  });

  it('revise gives the worker another attempt with the feedback of the critic', async () => {
    verifies('VERIFY-06', 'VERIFY-11', 'SCEN-12', 'SCEN-13');
    const seen = await gated('revised');
    expect(verdicts(seen)).toEqual(['revise', 'pass']);
    expect(seen.of('agent.verified')[0]?.payload.criteria).toEqual(['grounded']);
    const second = (await look(`${seen.runId}.3`)).snapshot;
    expect(second).toMatchObject({
      workflowId: 'writer',
      variables: { attempt: 2, feedback: 'cite sources' },
    });
    expect(report(seen)).toBe('draft');
  });

  it.each([
    ['below', 'unsure', 'waiting-approval', undefined],
    ['at', 'certain', 'completed', 'draft'],
  ])('VERIFY-08 a critic %s the floor: %s', async (_where, name, status, merged) => {
    const seen = await gated(name);
    expect([seen.snapshot.status, report(seen)]).toEqual([status, merged]);
    if (status === 'completed') return;
    expect(report(await after(seen.runId, 'hand', { action: 'accept' }))).toBe('draft');
  });

  it.each(['narrow', 'narrow-judged'])('SCOPE-01 principalScope narrows the child (%s)', async (name) => {
    const seen = await gated(name, 'careful');
    const child = await look(`${seen.runId}.1`);
    expect(child.snapshot).toMatchObject({ status: 'failed', error: { code: 'forbidden' } });
    expect(child.of('authorization.decided')[0]?.payload).toMatchObject({
      action: 'runs:cancel',
      allowed: false,
    });
    expect(seen.snapshot.variables).toEqual({});
  });

  it('SCOPE-02 SCOPE-05 FAIL-11 a child may do no more than the key that started its parent', async () => {
    const { body } = await host.post(
      '/v1/runs',
      { workflowId: `${way}-open-careful` },
      { key: 'runner', headers: { prefer: 'wait=20' } },
    );
    const child = await look(`${body.runId}.1`);
    expect(child.snapshot).toMatchObject({ status: 'failed', error: { code: 'forbidden' } });
    expect(report(await gated('open', 'careful'))).toBe('draft');
  });
});

describe('gates over HTTP, further on', () => {
  it('the digest is of the mapped variables, under the names of the child and without those that are unset', async () => {
    verifies('SCEN-14', 'READ-39');
    const attested = async (name: string) => completion(await run(`digest-${name}`)).attestation;
    const both = { checksum: digest({ note: 'private', text: 'draft' }), algorithm: 'sha256' };
    expect(await attested('in-one-order')).toEqual(both);
    expect(await attested('in-another-order')).toEqual(both);
    expect(await attested('with-gaps')).toEqual(DRAFT);
    expect(await attested('unmapped')).toEqual(both);
    // The mapping of the worker takes the place of the default one, also for what is attested.
    expect((await run('digest-of-worker')).snapshot.interrupt.data).toMatchObject({
      artifactData: { note: 'private' },
      attestation: { checksum: digest({ note: 'private' }) },
    });
  });

  it('SCOPE-05 a critic may do no more than the run that it judges for', async () => {
    const { body } = await host.post(
      '/v1/runs',
      { workflowId: 'judged-by-restricted' },
      { key: 'runner', headers: { prefer: 'wait=20' } },
    );
    const seen = await look(body.runId);
    expect((await look(`${body.runId}.2`)).snapshot).toMatchObject({
      role: 'critic',
      error: { code: 'forbidden' },
    });
    expect([verdicts(seen), seen.snapshot.variables]).toEqual([['fail'], {}]);
  });

  it('ATTEST-13 a rejected sub-workflow that absorbs failures completes without its values', async () => {
    const { runId } = await run('absorbs');
    const done = await after(runId, 'hand', { action: 'reject' });
    expect([done.snapshot.status, done.snapshot.variables]).toEqual(['completed', {}]);
    expect(completion(done)).toMatchObject({ merged: false });
  });

  it('ATTEST-16 asks once for each child of a fan-out, one after the other', async () => {
    const { runId } = await run('two-gated');
    const between = await after(runId, 'hand', { action: 'reject' });
    expect(between.of('interrupt.requested')).toHaveLength(2);
    const done = await after(runId, 'hand', { action: 'accept' });
    expect(new Set(done.of('interrupt.requested').map(({ payload }) => payload.key)).size).toBe(2);
    expect(report(done)).toBe('draft');
    expect(completion(done).workers.map(({ merged }: { merged: boolean }) => merged)).toEqual([false, true]);
  });

  it('a terminate over a standing fail waits for a person, and its criteria do not hide it', async () => {
    verifies('VERIFY-10', 'VERIFY-16', 'READ-25');
    const seen = await run('ends-over-it');
    expect(seen.snapshot.status).toBe('waiting-approval');
    const done = await after(seen.runId, 'lead', { action: 'accept' });
    expect(done.snapshot).toMatchObject({ status: 'completed', goal: { met: false } });
  });

  it('VERIFY-15 VERIFY-16 a run that gave up shows it in its snapshot and in the list', async () => {
    const { runId, snapshot } = await run('gives-up');
    expect(snapshot.goal).toEqual({ met: false, criteria: [{ key: 'cited', met: false }] });
    const { runs } = (await host.get('/v1/runs?limit=1')).body;
    expect(runs).toMatchObject([{ runId, goalMet: false }]);
  });
});
