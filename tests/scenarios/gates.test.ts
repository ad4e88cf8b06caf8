import { digest } from '@baton/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedHost, type TestHost } from '../http/host.ts';
import { type Bag, boss, declare, END, line, node, to } from '../http/wire/definitions.ts';
import { type Observed, observing } from '../http/wire/observing.ts';
import { verifies } from '../verifies.ts';

/** The scenarios of the protocol about critics, attestations and approvals of sub-runs, from end to end. */

const TEXT = 'a sentence that only the worker has written';
const OUT = { outputMapping: { report: 'text' } };
const critic = (id: string, verdict: string) =>
  line(id, [node('judge', 'core.noop')], { variables: declare({ verdict, feedback: `because of ${TEXT}` }) });
const judged = (workflowId: string, more: Bag = {}) => ({
  verifier: { workflowId, maxRevisions: 1, criteria: ['grounded', 'short'], ...more },
});
const sub = (id: string, config: Bag, values: Bag = {}) =>
  line(id, [node('hand', 'core.subWorkflow', { workflowId: 'writer', ...OUT, ...config })], {
    variables: declare(values),
  });
const CHECKED = { outputAttestation: { checksum: true } };
const APPROVED = { outputAttestation: { checksum: true, requireApproval: true } };

const WORKFLOWS = [
  line('writer', [node('write', 'core.noop')], { variables: declare({ text: TEXT, note: 'private', n: 1 }) }),
  critic('passes', 'pass'),
  critic('fails', 'fail'),
  critic('revises', 'revise'),
  line('moody', [
    node('judge', 'vendor.baton.set', { assign: { verdict: 'inputs.attempt > 1 ? "pass" : "revise"' } }),
  ]),
  ...['passes', 'fails', 'revises', 'moody'].map((id) =>
    boss(`by-${id}`, [to('writer'), END], OUT, judged(id)),
  ),
  boss('gives-up', [{ ...END, successCriteria: [{ key: 'grounded', met: false }] }]),
  sub('checked', { ...CHECKED }),
  sub('checked-in-another-order', { ...CHECKED, outputMapping: { b: 'n', a: 'text' } }),
  sub('checked-in-one-order', { ...CHECKED, outputMapping: { a: 'text', b: 'n' } }),
  sub('checked-with-gaps', { ...CHECKED, outputMapping: { a: 'text', again: 'text', gone: 'nothing' } }),
  sub('checked-unmapped', { ...CHECKED, outputMapping: {} }),
  sub('approved', APPROVED, { report: 'before' }),
  boss(
    'approved-worker',
    [to('writer'), END],
    { ...OUT, perWorkerOutputMappings: { writer: { report: 'n' } } },
    APPROVED,
  ),
  sub('expiring', { outputAttestation: { requireApproval: true, timeoutMs: 20 } }, { report: 'before' }),
];

let host: TestHost;
const { run, after, look, cancel, answer } = observing(() => host);
beforeAll(async () => {
  host = await sharedHost({ workflows: WORKFLOWS });
});
afterAll(() => host.stop());

const verdicts = (seen: Observed) => seen.of('agent.verified').map(({ payload }) => payload.verdict);
const attestation = (seen: Observed) =>
  seen.of('node.completed').find(({ nodeId }) => nodeId === 'hand')?.payload.outputs.attestation;
const digestOf = (outputs: Bag) => ({ checksum: digest(outputs as never), algorithm: 'sha256' });

describe('scenarios of critics', () => {
  it('agent-verified-shape: a verdict names its target and its criteria, and holds no content', async () => {
    verifies('SCEN-12', 'READ-32');
    for (const id of ['by-passes', 'by-fails', 'by-revises']) {
      const seen = await run(id);
      for (const event of seen.of('agent.verified')) {
        expect(Object.keys(event.payload).sort()).toEqual(['agentId', 'criteria', 'target', 'verdict']);
        expect(event.payload.agentId.length).toBeGreaterThanOrEqual(3);
        expect(['pass', 'fail', 'revise']).toContain(event.payload.verdict);
        expect(event.payload.criteria).toEqual(['grounded', 'short']);
        expect((await look(event.payload.target)).snapshot.workflowId).toBe('writer');
        expect(JSON.stringify(event)).not.toContain(TEXT);
      }
      expect(verdicts(seen).length).toBeGreaterThan(0);
    }
    expect((await run('gives-up')).snapshot.goal).toEqual({
      met: false,
      criteria: [{ key: 'grounded', met: false }],
    });
  });

  it('verifier-gating: fail blocks, pass permits, revise tries again as often as it may', async () => {
    verifies('SCEN-13');
    const passed = await run('by-passes');
    expect([passed.snapshot.status, passed.snapshot.variables]).toEqual(['completed', { report: TEXT }]);
    const failed = await run('by-fails');
    expect([verdicts(failed), failed.snapshot.variables]).toEqual([['fail'], {}]);
    expect(failed.snapshot.status).not.toBe('completed');
    const again = await run('by-moody');
    expect([verdicts(again), again.snapshot.status]).toEqual([['revise', 'pass'], 'completed']);
    expect(again.snapshot.variables).toEqual({ report: TEXT });
    const stubborn = await run('by-revises');
    expect([verdicts(stubborn), stubborn.snapshot.variables]).toEqual([['revise', 'revise'], {}]);
    expect(stubborn.snapshot.status).not.toBe('completed');
  });
});

describe('scenarios of attestations', () => {
  it('subrun-attestation-shape: a digest of what the child hands over, on the handoff and on the node', async () => {
    verifies('SCEN-14');
    const seen = await run('checked');
    expect(seen.chain().at(-1)?.payload).toMatchObject({
      phase: 'output.harvested',
      attestation: digestOf({ text: TEXT }),
    });
    expect(attestation(seen)).toEqual(digestOf({ text: TEXT }));
    const other = sub('refused', { outputAttestation: { checksum: true, algorithm: 'md5' } });
    expect((await host.post('/v1/workflows', other)).body).toMatchObject({ error: 'validation_error' });
    const named = sub('named', { outputAttestation: { checksum: true, algorithm: 'sha256' } });
    expect((await host.post('/v1/workflows', named)).status).toBe(201);
  });

  it('subrun-checksum-stable: the order of names changes nothing', async () => {
    verifies('SCEN-14');
    const orders = [await run('checked-in-one-order'), await run('checked-in-another-order')].map(
      attestation,
    );
    expect(orders).toEqual([digestOf({ n: 1, text: TEXT }), digestOf({ text: TEXT, n: 1 })]);
    expect(orders[0]).toEqual(orders[1]);
  });

  it('the digest is of the mapped variables under the names of the child, without those that are unset', async () => {
    verifies('READ-39');
    expect(attestation(await run('checked-with-gaps'))).toEqual(digestOf({ text: TEXT }));
    // The mapping of the worker takes the place of the default one, also for what is handed over.
    const { snapshot } = await run('approved-worker');
    expect(snapshot.interrupt.data).toMatchObject({
      artifactData: { n: 1 },
      attestation: digestOf({ n: 1 }),
    });
    const unmapped = await run('checked-unmapped');
    expect(unmapped.phases()).not.toContain('output.harvested');
    expect(attestation(unmapped)).toEqual(digestOf({ n: 1, note: 'private', text: TEXT }));
  });
});

describe('scenarios of approvals', () => {
  it('subrun-approval-gate: nothing is merged before a person agrees, then what the person agreed to', async () => {
    verifies('SCEN-15');
    const seen = await run('approved');
    expect(seen.snapshot).toMatchObject({
      status: 'waiting-approval',
      variables: { report: 'before' },
      interrupt: { kind: 'approval', data: { artifactData: { text: TEXT } } },
    });
    expect([...seen.snapshot.interrupt.data.actions].sort()).toEqual([
      'accept',
      'ask',
      'edit-accept',
      'reject',
    ]);
    const asked = await after(seen.runId, 'hand', { action: 'ask', question: 'Who says so?' });
    expect(asked.snapshot).toMatchObject({ status: 'waiting-approval', variables: { report: 'before' } });
    const accepted = await after(seen.runId, 'hand', { action: 'accept' });
    expect(accepted.snapshot).toMatchObject({ status: 'completed', variables: { report: TEXT } });

    const other = await run('approved');
    const edit = { action: 'edit-accept', editedArtifactData: { text: 'checked by hand' } };
    expect((await after(other.runId, 'hand', edit)).snapshot.variables).toEqual({
      report: 'checked by hand',
    });
  });

  it('subrun-approval-fail-closed: a reject, a cancel and silence merge nothing', async () => {
    verifies('SCEN-15');
    const rejected = await after((await run('approved')).runId, 'hand', { action: 'reject' });
    const cancelled = await cancel((await run('approved')).runId);
    const { runId } = (await host.post('/v1/runs', { workflowId: 'expiring' })).body;
    let expired = await look(runId);
    while (!['failed', 'completed'].includes(expired.snapshot.status)) {
      await host.get(
        `/v1/runs/${runId}/events/poll?lastSequence=${expired.snapshot.lastSequence}&timeout=20`,
      );
      expired = await look(runId);
    }
    for (const seen of [rejected, cancelled, expired]) {
      expect(seen.snapshot.status).not.toBe('completed');
      expect(seen.snapshot.variables).toEqual({ report: 'before' });
      expect(seen.of('variable.changed')).toEqual([]);
      expect([404, 409, 410]).toContain(await answer(seen.runId, 'hand', { action: 'accept' }));
    }
  });
});
