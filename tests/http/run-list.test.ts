import { afterAll, describe, expect, it } from 'vitest';
import { ASKING_WORKFLOWS } from './asking-workflows.ts';
import { ALL_SCOPES, sharedHost } from './host.ts';

/** What the list of runs shows, and by what runs are found in it. */

const AGENT = {
  agentId: 'local.desk.clerk',
  persona: 'Clerk',
  modelClass: 'general',
  systemPrompt: 'You are a clerk.',
  baton: { script: [{ text: 'Done.' }] },
};
const SUPERVISED = {
  id: 'supervised',
  nodes: [
    {
      id: 'plan',
      typeId: 'core.orchestrator.supervisor',
      config: {
        script: [
          { kind: 'next-worker', nextWorkerIds: ['quick'] },
          { kind: 'terminate', reason: 'done' },
        ],
      },
    },
    { id: 'hand', typeId: 'core.dispatch', config: {} },
  ],
  edges: [
    { id: 'over', sourceNodeId: 'plan', targetNodeId: 'hand' },
    { id: 'back', sourceNodeId: 'hand', targetNodeId: 'plan' },
  ],
};
const LONG_ERROR = {
  id: 'long-error',
  nodes: [{ id: 'break', typeId: 'core.fail', config: { code: 'too_long', message: '🙂'.repeat(400) } }],
};
const host = await sharedHost({ workflows: [...ASKING_WORKFLOWS, SUPERVISED, LONG_ERROR] }, [
  { token: 'other', tenant: 'other', scopes: ALL_SCOPES },
]);
afterAll(() => host.stop());
await host.post('/v1/agents', { manifest: AGENT });

const list = async (query: string, key?: string) => {
  const answer = await host.get(`/v1/runs?${query}`, key === undefined ? {} : { key });
  expect(answer.status).toBe(200);
  return answer.body.runs;
};
const summary = async (runId: string) =>
  (await list(`q=${runId}`)).find((run: { runId: string }) => run.runId === runId);
const ids = async (query: string) => (await list(query)).map((run: { runId: string }) => run.runId);

describe('a run in the list', () => {
  it('shows when it ended and why it failed, with a message of bounded length', async () => {
    const failed = (await host.run('doomed')).body;
    expect(await summary(failed.runId)).toMatchObject({
      error: { code: 'it_broke', message: 'as it was told to' },
      startedAt: failed.startedAt,
      endedAt: failed.completedAt,
    });
    const { error } = await summary((await host.run('long-error')).body.runId);
    expect(error).toEqual({ code: 'too_long', message: `${'🙂'.repeat(150)}…` });
    const running = (await host.post('/v1/runs', { workflowId: 'slow' })).body.runId;
    expect(Object.keys(await summary(running))).not.toEqual(expect.arrayContaining(['endedAt', 'error']));
  });

  it('shows the last turn of its supervisor', async () => {
    const { runId, status, iteration } = (await host.run('supervised')).body;
    expect([status, iteration]).toEqual(['completed', 2]);
    expect(await summary(runId)).toMatchObject({ turn: 2 });
    expect(await summary(`${runId}.1`)).not.toHaveProperty('turn');
  });

  it('shows what the run has used, as its snapshot does', async () => {
    const body = { agentId: AGENT.agentId, inputs: { task: 'Work.' } };
    const run = (await host.post('/v1/runs', body, { headers: { prefer: 'wait=20' } })).body;
    expect(run.usage.inputTokens).toBeGreaterThan(0);
    expect((await summary(run.runId)).usage).toEqual(run.usage);
  });

  it('shows the questions of the run and of its children', async () => {
    const { runId } = (await host.run('desk')).body;
    const waits = async () => (await summary(runId)).waitingFor;
    const kinds = async () => (await waits()).map((wait: { kind: string }) => wait.kind).toSorted();
    await expect.poll(kinds).toEqual(['approval', 'clarification']);
    const waitingFor = await waits();
    for (const wait of waitingFor) {
      expect(wait.runId.startsWith(`${runId}.`)).toBe(true);
      expect((await summary(wait.runId)).waitingFor).toEqual([wait]);
    }
    await host.post(`/v1/runs/${runId}/cancel`);
    expect(await summary(runId)).not.toHaveProperty('waitingFor');
  });

  it('names the run that it is a fork of, and repeats its turn', async () => {
    const { runId } = (await host.run('supervised')).body;
    const fork = (await host.post(`/v1/runs/${runId}:fork`, { mode: 'replay' })).body.runId;
    await expect.poll(async () => (await summary(fork)).status).toBe('completed');
    expect(await summary(fork)).toMatchObject({ forkedFrom: runId, turn: 2 });
  });

  it('no longer shows the error of an erased run', async () => {
    const { runId } = (await host.run('doomed')).body;
    expect((await host.post(`/v1/runs/${runId}:erase`, { reason: 'asked to' })).status).toBe(200);
    expect(await summary(runId)).not.toHaveProperty('error');
  });
});

describe('runs are found', () => {
  it('by several statuses, written in both ways', async () => {
    const failed = (await host.run('doomed', { tags: ['both'] })).body.runId;
    const completed = (await host.run('quick', { tags: ['both'] })).body.runId;
    await host.run('gate', { tags: ['both'] });
    for (const statuses of [
      'status=failed,completed',
      'status=failed&status=completed',
      'status=completed,failed,failed',
    ])
      expect(await ids(`tag=both&${statuses}`)).toEqual([completed, failed]);
  });

  it('by a text in their ids, workflows and tags, in either case', async () => {
    const { runId } = (await host.run('three-steps', { tags: ['Quarter 50%'] })).body;
    for (const text of [runId, runId.slice(0, 20).toUpperCase(), 'EE-STEP', 'quarter', '50%'])
      expect(await ids(`q=${encodeURIComponent(text)}`)).toEqual([runId]);
    for (const text of [runId.slice(1), '5%%', 'quarter_50'])
      expect(await ids(`q=${encodeURIComponent(text)}`)).toEqual([]);
    expect(await list(`q=${runId}`, 'other')).toEqual([]);
  });

  it('without their children', async () => {
    const { runId } = (await host.run('supervised', { tags: ['family'] })).body;
    expect(await ids(`q=${runId}`)).toEqual([`${runId}.1`, runId]);
    expect(await ids(`q=${runId}&roots=true`)).toEqual([runId]);
    expect(await ids(`q=${runId}&roots=false`)).toHaveLength(2);
  });

  it('by the time of their creation', async () => {
    const { runId } = (await host.run('quick', { tags: ['timed'] })).body;
    const { createdAt } = await summary(runId);
    const later = new Date(Date.parse(createdAt) + 1).toISOString();
    expect(await ids(`tag=timed&createdAfter=${createdAt}&createdBefore=${later}`)).toEqual([runId]);
    expect(await ids(`tag=timed&createdAfter=${later}`)).toEqual([]);
    expect(await ids(`tag=timed&createdBefore=${createdAt}`)).toEqual([]);
  });

  it.each([
    'q=',
    `q=${'x'.repeat(129)}`,
    'status=',
    'status=failed,',
    'status=failed,asleep',
    `status=${'failed,'.repeat(20)}failed`,
    'roots=1',
    'roots=yes',
    'createdAfter=yesterday',
    'createdBefore=2026-01-31',
    'createdBefore=2026-12-31T23:59:60Z',
    'q=a&q=b',
  ])('refuses ?%s', async (query) => {
    const answer = await host.get(`/v1/runs?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { details: { field: query.split('=')[0] } } });
  });
});
