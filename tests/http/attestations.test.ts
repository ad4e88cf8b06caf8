import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, sharedHost } from './host.ts';

const variables = [{ name: 'text', type: 'string', defaultValue: 'draft' }];
const judge = { id: 'judge', typeId: 'vendor.baton.set' };
const attempts = { verdict: 'inputs.attempt > 1 ? "pass" : "revise"', feedback: '"again"' };

const WORKFLOWS = [
  { id: 'writer', nodes: [{ id: 'write', typeId: 'core.noop' }], variables },
  { id: 'critic', nodes: [{ ...judge, config: { assign: attempts } }] },
  {
    id: 'gated',
    nodes: [
      {
        id: 'lead',
        typeId: 'core.orchestrator.supervisor',
        config: {
          script: [
            { kind: 'next-worker', nextWorkerIds: ['writer'] },
            { kind: 'terminate', successCriteria: [{ key: 'accepted', met: false }] },
          ],
        },
      },
      {
        id: 'hand',
        typeId: 'core.dispatch',
        config: { outputMapping: { report: 'text' } },
        settings: {
          outputAttestation: { checksum: true, requireApproval: true },
          verifier: { workflowId: 'critic' },
        },
      },
    ],
    edges: [
      { sourceNodeId: 'lead', targetNodeId: 'hand' },
      { sourceNodeId: 'hand', targetNodeId: 'lead' },
    ],
  },
];
const host = await sharedHost({ workflows: WORKFLOWS }, [
  { token: 'stranger', tenant: 'other', scopes: [...ALL_SCOPES, 'audit:read'] },
  { token: 'reader', tenant: 'default', scopes: ALL_SCOPES },
]);
afterAll(() => host.stop());

async function finished(resumeValue: object): Promise<string> {
  const { runId, status } = (await host.run('gated')).body;
  expect(status).toBe('waiting-approval');
  expect((await host.post(`/v1/runs/${runId}/interrupts/hand`, { resumeValue })).status).toBe(200);
  return runId;
}

const attestations = (runId: string, key?: string) =>
  host.get(`/v1/runs/${runId}/attestations`, key === undefined ? {} : { key });

describe('attestations of a run', () => {
  it('ATTEST-18 show checksum, critic and approver of what was merged', async () => {
    const runId = await finished({ action: 'edit-accept', editedArtifactData: { text: 'better' } });
    const { status, body } = await attestations(runId);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      runId,
      allMatch: true,
      attestations: [
        { childRunId: `${runId}.1`, merged: false, why: 'revised', matches: true, variables: [] },
        {
          childRunId: `${runId}.3`,
          merged: true,
          why: 'edited',
          matches: true,
          approvedBy: ['operator'],
          verdict: { verdict: 'pass', agentId: 'critic', criticRunId: `${runId}.4` },
          variables: [{ name: 'report', from: 'text', matches: true, current: true }],
        },
      ],
    });
    expect(body.attestations[1].editedChecksum).toBe(body.attestations[1].recomputedEdit);
  });

  it('show what is still at the gate', async () => {
    const { runId } = (await host.run('gated')).body;
    expect((await attestations(runId)).body.attestations[1]).toMatchObject({
      merged: false,
      why: 'undecided',
    });
    await host.post(`/v1/runs/${runId}/cancel`, {});
  });

  it.each([
    ['a child', '.3', 'run.started', '"draft"'],
    ['the run itself, which the host still remembers', '', 'variable.changed', '"draft"'],
  ])('do not match when somebody changed the stored log of %s', async (_whose, child, type, value) => {
    const runId = await finished({ action: 'accept' });
    expect((await attestations(runId)).body.allMatch).toBe(true);
    const database = new Database(`${host.folder}/baton.db`);
    const change = (from: string, to: string) =>
      database
        .prepare(
          `UPDATE events SET data = replace(data, ?, ?)
           WHERE run_no = (SELECT run_no FROM runs WHERE run_id = ?) AND data LIKE ?`,
        )
        .run(from, to, runId + child, `%"type":"${type}"%`);
    expect(change(value, '"forged"').changes).toBe(1);
    const { body } = await attestations(runId);
    change('"forged"', value);
    database.close();
    expect(body.allMatch).toBe(false);
    expect(body.attestations[0].matches).toBe(true);
    expect(body.attestations[1].variables[0].matches).toBe(false);
  });

  it('are empty for a run without gates', async () => {
    const { runId } = (await host.run('writer')).body;
    expect((await attestations(runId)).body).toEqual({ runId, attestations: [], allMatch: true });
  });
});

describe('what a run came to', () => {
  it('VERIFY-16 FAIL-09 is in the list of runs too: completed, and given up', async () => {
    const runId = await finished({ action: 'accept' });
    const { runs } = (await host.get('/v1/runs?workflowId=gated&status=completed')).body;
    expect(runs.find((run: { runId: string }) => run.runId === runId)).toMatchObject({
      status: 'completed',
      goalMet: false,
    });
    expect((await host.get(`/v1/runs/${runId}`)).body.goal).toMatchObject({ met: false });
  });

  it('says which children were critics', async () => {
    const runId = await finished({ action: 'accept' });
    const { childRuns } = (await host.get(`/v1/runs/${runId}`)).body;
    const roles = [
      ['writer', undefined],
      ['critic', 'critic'],
      ['writer', undefined],
      ['critic', 'critic'],
    ];
    const pair = (run: { workflowId: string; role?: string }) => [run.workflowId, run.role];
    expect(childRuns.map(pair)).toEqual(roles);
    const { runs } = (await host.get(`/v1/runs?parentRunId=${runId}`)).body;
    expect(runs.map(pair)).toEqual(roles.toReversed());
  });
});
