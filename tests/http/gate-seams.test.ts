import { digest } from '@baton/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { sharedHost } from './host.ts';

const host = await sharedHost({ testSeams: true, workflows: [] });
afterAll(() => host.stop());

/** Nobody is left waiting behind a seam. */
const nothingWaits = async () => expect((await host.get('/v1/interrupts')).body.interrupts).toEqual([]);

describe('subrun/attest', () => {
  const attest = (body: object) => host.post('/v1/host/sample/subrun/attest', body);
  const childOutputs = { title: 'Owls', pages: 3, parts: [{ b: 1, a: 'é' }] };
  const checksum = { checksum: true };
  const gated = { checksum: true, requireApproval: true };

  it('SEAM-02 ATTEST-04 gives the digest of the outputs, whatever the order of their keys', async () => {
    const { status, body } = await attest({ childOutputs, outputAttestation: checksum });
    const turned = { parts: [{ a: 'é', b: 1 }], pages: 3.0, title: 'Owls' };
    const again = await attest({ childOutputs: turned, outputAttestation: checksum });
    expect(status).toBe(200);
    expect(body.attestation).toEqual({ checksum: digest(childOutputs), algorithm: 'sha256' });
    expect(again.body.attestation).toEqual(body.attestation);
    expect(body.harvestedEvent).toMatchObject({
      type: 'core.workflowChain.event',
      payload: { phase: 'output.harvested', attestation: body.attestation },
    });
    expect(body).toMatchObject({ merged: true, mergedValues: childOutputs });
  });

  it('SEAM-02 ATTEST-11 merges what is accepted', async () => {
    const { body } = await attest({ childOutputs, outputAttestation: gated, approvalAction: 'accept' });
    expect(body).toMatchObject({ merged: true, mergedValues: childOutputs });
  });

  it('SEAM-02 ATTEST-12 merges the edit instead', async () => {
    const editedArtifactData = { title: 'Owls, second edition' };
    const edit = { approvalAction: 'edit-accept', editedArtifactData };
    const { body } = await attest({ childOutputs, outputAttestation: gated, ...edit });
    expect([body.merged, body.mergedValues]).toEqual([true, editedArtifactData]);
  });

  it.each([
    ['a rejection', { approvalAction: 'reject' }],
    ['a question back', { approvalAction: 'ask' }],
    ['no answer', {}],
    ['an answer that did not come in time', { approvalAction: 'expired' }],
  ])('SEAM-02 ATTEST-15 merges nothing after %s', async (_what, action) => {
    const { body } = await attest({ childOutputs, outputAttestation: gated, ...action });
    expect(body).toMatchObject({ attestation: { checksum: digest(childOutputs) }, merged: false });
    expect(body).not.toHaveProperty('mergedValues');
    await nothingWaits();
  });

  it('keeps calls at the same time apart', async () => {
    const answers = await Promise.all(
      [gated, checksum, gated, checksum].map((outputAttestation) =>
        attest({ childOutputs, outputAttestation }),
      ),
    );
    expect(answers.map(({ body }) => body.merged)).toEqual([false, true, false, true]);
  });

  it.each([
    ['algorithm', { childOutputs: { a: 1 }, outputAttestation: { algorithm: 'md5' } }],
    ['childOutputs', { outputAttestation: {} }],
    ['approvalAction', { childOutputs: {}, outputAttestation: {}, approvalAction: 'maybe' }],
  ])('refuses what is wrong with %s', async (field, body) => {
    const answer = await attest(body);
    expect(answer.status).toBe(400);
    expect(answer.body.details.field).toContain(field);
  });
});

describe('agents/verify-run', () => {
  const verify = (simulateVerdict: string) =>
    host.post('/v1/host/sample/agents/verify-run', { simulateVerdict });

  it('SEAM-03 commits what the critic passed', async () => {
    const { body } = await verify('pass');
    expect(body).toMatchObject({ status: 'completed', committed: true });
    expect(body.events).toEqual([
      {
        type: 'agent.verified',
        verdict: 'pass',
        target: `${body.runId}.1`,
        agentId: 'baton-seam-verify-critic',
      },
    ]);
  });

  it.each([
    ['fail', ['fail']],
    ['revise', ['revise', 'revise']],
  ])('SEAM-03 VERIFY-10 neither commits nor completes after %s', async (verdict, verdicts) => {
    const { body } = await verify(verdict);
    expect(body).toMatchObject({ status: 'escalated', committed: false });
    expect(body.events.map((event: { verdict: string }) => event.verdict)).toEqual(verdicts);
    expect((await host.get(`/v1/runs/${body.runId}`)).body.variables).not.toHaveProperty('result');
    await nothingWaits();
  });

  it('VERIFY-03 knows no other verdict', async () => {
    expect((await verify('ok')).body.details.field).toBe('simulateVerdict');
  });
});

describe('agentloop/run', () => {
  const loop = (body: object) => host.post('/v1/host/sample/agentloop/run', body);
  const iterations = (body: { decisions: { iteration: number }[] }) =>
    body.decisions.map((decision) => decision.iteration);

  it('STATE-01 counts the turns of a real loop', async () => {
    const { body } = await loop({ turns: 3 });
    expect(iterations(body)).toEqual([1, 2, 3]);
    expect(body).toMatchObject({ status: 'completed', decisions: [{ kind: 'next-worker' }, {}, {}] });
  });

  it('STATE-09 resumes a suspended loop in the turn it was suspended in', async () => {
    const { body } = await loop({ turns: 4, suspendAtTurn: 2, resume: true });
    expect(body).toMatchObject({ status: 'completed', resumedIteration: 2 });
    expect(iterations(body)).toEqual([1, 2, 3, 4]);
    expect(body.decisions[1].kind).toBe('ask-user');
  });

  it('STATE-11 leaves a loop without an answer where it was', async () => {
    const { body } = await loop({ turns: 4, suspendAtTurn: 2 });
    expect(body).toMatchObject({ status: 'waiting-input' });
    expect(body).not.toHaveProperty('resumedIteration');
    expect(iterations(body)).toEqual([1, 2]);
    await nothingWaits();
  });

  it.each([
    { turns: 2, workspaceWriteAtTurn: 1 },
    { turns: 5, workspaceWriteAtTurn: 2 },
    { turns: 4, workspaceWriteAtTurn: 1, suspendAtTurn: 2, resume: true },
  ])('STATE-06 STATE-08 SCEN-11 shows a file that a turn wrote to the next turn only: %j', async (body) => {
    const answer = await loop(body);
    expect(answer.body).toMatchObject({
      status: 'completed',
      workspaceVisible: { atWriteTurn: false, atNextTurn: true },
    });
    expect(iterations(answer.body)).toEqual(Array.from({ length: body.turns }, (_, at) => at + 1));
    // Neither a file nor anything else is left behind.
    expect((await host.get('/v1/host/workspace/files')).body.files).toEqual([]);
  });

  it('says nothing of files when none is written', async () => {
    expect((await loop({ turns: 2 })).body).not.toHaveProperty('workspaceVisible');
  });

  it.each([
    ['workspaceWriteAtTurn', { turns: 2, workspaceWriteAtTurn: 2 }],
    ['workspaceWriteAtTurn', { turns: 4, suspendAtTurn: 2, workspaceWriteAtTurn: 2 }],
    ['workspaceWriteAtTurn', { turns: 4, workspaceWriteAtTurn: 0 }],
    ['suspendAtTurn', { turns: 2, suspendAtTurn: 2 }],
    ['turns', { turns: 0 }],
  ])('refuses %s where it cannot do it', async (field, body) => {
    const answer = await loop(body);
    expect(answer.status).toBe(400);
    expect(answer.body.details.field).toContain(field);
  });
});
