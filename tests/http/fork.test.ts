import { join } from 'node:path';
import { problemWith, RunForked } from '@baton/protocol';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { emptyFolder } from '../empty-folder.ts';
import { sharedHost, startTestHost } from './host.ts';
import { rewinding } from './rewinding.ts';
import { allEvents } from './server-sent.ts';

interface Node {
  readonly id: string;
  readonly [field: string]: unknown;
}

const chain = (id: string, nodes: readonly Node[], more: object = {}) => ({
  id,
  nodes,
  edges: nodes.slice(1).map((to, at) => ({ sourceNodeId: nodes[at]?.id, targetNodeId: to.id })),
  ...more,
});
const noop = (id: string) => ({ id, typeId: 'core.noop' });

const WORKFLOWS = [
  chain('conformance-noop', [noop('noop')]),
  chain('conformance-phase4-replay-divergence', [
    {
      id: 'structured-call',
      typeId: 'core.ai.structuredOutput',
      config: {
        provider: 'mock',
        model: 'mock-mini',
        outputSchema: {
          type: 'object',
          required: ['valid'],
          properties: { valid: { type: 'boolean' } },
        },
      },
      inputs: { messages: { type: 'static', value: [{ role: 'user', content: 'Is it so?' }] } },
    },
  ]),
  chain('gate', [{ id: 'gate', typeId: 'core.approvalGate', config: { title: 'Go on?' } }], {
    variables: [{ name: 'word', type: 'string', defaultValue: 'old' }],
  }),
  chain('doomed', [{ id: 'break', typeId: 'core.fail', config: { code: 'it_broke', message: 'as told' } }]),
];
const KEYS = [
  { token: 'theirs', tenant: 'other', scopes: ['runs:create', 'runs:read'] },
  { token: 'reader', tenant: 'default', scopes: ['runs:read'] },
];
const { fork, forked, events, ended } = rewinding(() => host);
const host = await sharedHost({ testSeams: true, workflows: WORKFLOWS }, KEYS);
afterAll(() => host.stop());

const start = async (workflowId: string, body: object = {}): Promise<string> =>
  (await host.run(workflowId, body)).body.runId;

describe('the end of a run', () => {
  it('is no place to branch at, and a replay from there has a stream that ends', async () => {
    const source = await start('conformance-noop');
    const { length } = await events(source);
    const refused = await fork(source, { fromSeq: length, mode: 'branch' });
    expect([refused.status, refused.body.error]).toEqual([422, 'fork_point_not_found']);
    expect(refused.body.message).toContain(`branch at index ${refused.body.details.newestFromSeq} or before`);
    const replayed = await fork(source, { fromSeq: length, mode: 'replay' });
    const frames = await allEvents(host, replayed.body.eventsUrl);
    expect(frames.at(-1)?.event).toBe('run.completed');
  });

  it('ends the stream of a branch that an earlier version took there', async () => {
    const dataFolder = emptyFolder();
    const before = await startTestHost({ dataFolder, builtinWorkflows: WORKFLOWS });
    const { runId, lastSequence } = (await before.run('conformance-noop')).body;
    await before.stop();
    appendBranched(dataFolder, runId, lastSequence + 1);
    const after = await startTestHost({ dataFolder, builtinWorkflows: WORKFLOWS });
    const frames = await allEvents(after, `/v1/runs/${runId}/events`);
    expect(frames.slice(-2).map(({ event }) => event)).toEqual(['run.completed', 'baton.run.branched']);
    await after.stop();
  });
});

/** What a branch at the end of a run left behind: a fact after the last one. */
function appendBranched(dataFolder: string, runId: string, sequence: number): void {
  const database = new Database(join(dataFolder, 'baton.db'));
  const text = JSON.stringify({
    eventId: `${runId}:${sequence}`,
    runId,
    sequence,
    timestamp: new Date().toISOString(),
    type: 'baton.run.branched',
    payload: { sourceRunId: runId, fromSeq: sequence },
  });
  const of = '(SELECT run_no FROM runs WHERE run_id = ?)';
  database.prepare(`INSERT INTO events (run_no, seq, data) VALUES (${of}, ?, ?)`).run(runId, sequence, text);
  database.prepare('UPDATE runs SET head = head + 1 WHERE run_id = ?').run(runId);
  database.close();
}

describe('a fork', () => {
  it('REPLAY-12 answers with what it made, and where it is to be followed', async () => {
    const source = await start('conformance-noop');
    const answer = await fork(source, { fromSeq: 0, mode: 'replay' });
    expect(answer.status).toBe(201);
    expect(problemWith(RunForked, answer.body)).toBeUndefined();
    const { runId } = answer.body;
    expect(runId).not.toBe(source);
    expect(answer.body).toMatchObject({
      sourceRunId: source,
      fromSeq: 0,
      mode: 'replay',
      effects: 'recorded',
      eventsUrl: `/v1/runs/${runId}/events`,
    });
    expect(answer.headers.get('location')).toBe(`/v1/runs/${runId}`);
    expect(await ended(runId)).toMatchObject({
      status: 'completed',
      owner: { tenant: host.tenantOf('default') },
    });
  });

  it('says when what it does is for real', async () => {
    const source = await start('conformance-noop');
    const { status, body } = await fork(source, { fromSeq: 0, mode: 'branch', runOptionsOverlay: {} });
    expect(status).toBe(201);
    expect(body).toMatchObject({ mode: 'branch', effects: 'performed', sourceRunId: source });
    expect((await ended(body.runId)).status).toBe('completed');
  });

  it.each([
    ['before the beginning', { fromSeq: -1, mode: 'replay' }, 400, 'validation_error'],
    ['past the end', { fromSeq: 99_999, mode: 'replay' }, 422, 'fork_point_not_found'],
    ['past the end, as a branch', { fromSeq: 99_999, mode: 'branch' }, 422, 'fork_point_not_found'],
    ['at no whole number', { fromSeq: 1.5, mode: 'replay' }, 400, 'validation_error'],
    ['at no number', { fromSeq: 'one', mode: 'replay' }, 400, 'validation_error'],
    [
      'as a replay with changes',
      { mode: 'replay', runOptionsOverlay: { tags: [] } },
      400,
      'validation_error',
    ],
    ['as a branch from nowhere', { mode: 'branch' }, 400, 'validation_error'],
    ['in no mode', { fromSeq: 0 }, 400, 'validation_error'],
    ['in a mode that there is not', { fromSeq: 0, mode: 'rewind' }, 400, 'validation_error'],
    ['with more than it knows', { fromSeq: 0, mode: 'replay', speed: 2 }, 400, 'validation_error'],
    [
      'with variables that are none',
      { fromSeq: 0, mode: 'branch', runOptionsOverlay: { variables: 1 } },
      400,
      'validation_error',
    ],
  ])('REPLAY-13 READ-12 is refused %s', async (_how, body, status, error) => {
    const source = await start('conformance-noop');
    const before = (await host.get('/v1/runs?limit=100')).body.runs.length;
    expect(await fork(source, body)).toMatchObject({ status, body: { error, message: expect.any(String) } });
    expect((await host.get('/v1/runs?limit=100')).body.runs).toHaveLength(before);
  });

  it('REPLAY-13 tells how far the log goes when it is cut behind its end', async () => {
    const source = await start('conformance-noop');
    const last = (await events(source)).length - 1;
    const { body } = await fork(source, { fromSeq: last + 2, mode: 'replay' });
    expect(body.details).toEqual({ fromSeq: last + 2, lastSequence: last });
  });

  it('REPLAY-13 is not found for a run that is not there, or is another tenant’s', async () => {
    const source = await start('conformance-noop');
    expect((await fork('no-such-run', { fromSeq: 0, mode: 'replay' })).status).toBe(404);
    const theirs = await host.post(`/v1/runs/${source}:fork`, { mode: 'replay' }, { key: 'theirs' });
    expect(theirs.status).toBe(404);
  });

  it('is made once for one Idempotency-Key', async () => {
    const source = await start('conformance-noop');
    const headers = { 'idempotency-key': `fork-of-${source}` };
    const body = { fromSeq: 0, mode: 'replay' };
    const [first, second] = await Promise.all([fork(source, body, headers), fork(source, body, headers)]);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    const again = await fork(source, body, headers);
    expect(again.headers.get('openwop-idempotent-replay')).toBe('true');
    expect(again.body.runId).toBe(first.body.runId);
    const other = await fork(source, { ...body, fromSeq: 1 }, headers);
    expect([other.status, other.body.error]).toEqual([409, 'idempotency_key_mismatch']);
  });

  it('takes over what its caller changes, and only as a branch', async () => {
    const source = await start('gate');
    const fromSeq = (await events(source)).length;
    const runOptionsOverlay = { variables: { word: 'new' }, tags: ['what-if'] };
    const { body } = await fork(source, { fromSeq, mode: 'branch', runOptionsOverlay });
    expect((await host.get(`/v1/runs/${body.runId}`)).body).toMatchObject({
      status: 'waiting-approval',
      variables: { word: 'new' },
      tags: ['what-if'],
    });
    expect((await host.get(`/v1/runs/${source}`)).body.variables).toEqual({ word: 'old' });
  });
});

describe('a model that a replay asks again', () => {
  const PROGRAM = '/v1/host/sample/test/mock-ai/program';
  const YES = { content: '{"valid":true}', stopReason: 'end_turn' };
  const NO = { content: '', stopReason: 'safety', refusalText: 'I would rather not.' };
  const program = async (entry: object) => {
    expect((await host.post(PROGRAM, { nodeId: 'structured-call', program: [entry] })).status).toBe(200);
  };

  it.each([
    ['valid', 'refusal', YES, NO, 'completed'],
    ['refusal', 'valid', NO, YES, 'failed'],
  ])(
    'REPLAY-04 REPLAY-05 REPLAY-06 SCEN-10 FAIL-05 ends the replay when it gave a %s and now gives a %s',
    async (originalEnvelopeKind, replayEnvelopeKind, before, after, sourceStatus) => {
      await program(before);
      const source = (await host.run('conformance-phase4-replay-divergence')).body;
      expect(source.status).toBe(sourceStatus);
      await program(after);
      const run = await forked(source.runId, { fromSeq: 0, mode: 'replay' });
      expect(run).toMatchObject({ status: 'failed', error: { code: 'replay_diverged_at_refusal' } });
      const diverged = (await events(run.runId)).find(({ type }) => type === 'replay.divergedAtRefusal');
      expect(diverged?.payload).toMatchObject({
        sourceRunId: source.runId,
        nodeId: 'structured-call',
        atSequence: expect.any(Number),
        originalEnvelopeKind,
        replayEnvelopeKind,
      });
    },
  );
});

describe('a retry', () => {
  it('goes on with a failed run in a run of its own', async () => {
    const source = await start('doomed');
    const { status, body } = await host.post(`/v1/runs/${source}:retry`, {});
    expect(status).toBe(201);
    expect(body).toMatchObject({ sourceRunId: source, mode: 'branch', effects: 'performed' });
    expect(await ended(body.runId)).toMatchObject({ status: 'failed', error: { code: 'it_broke' } });
    const log = await events(body.runId);
    expect(log.slice(0, body.fromSeq)).toEqual((await events(source)).slice(0, body.fromSeq));
    expect(log.filter(({ type }) => type === 'node.retried')).toHaveLength(1);
  });

  it.each([
    ['a run that completed', 'conformance-noop', 409, 'run_state_conflict'],
    ['a run that waits', 'gate', 409, 'run_state_conflict'],
  ])('is refused for %s', async (_what, workflowId, status, error) => {
    const answer = await host.post(`/v1/runs/${await start(workflowId)}:retry`, {});
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });

  it('takes nothing that it does not know', async () => {
    const source = await start('doomed');
    expect((await host.post(`/v1/runs/${source}:retry`, { fromSeq: 1 })).status).toBe(400);
  });
});
