import { afterAll, describe, expect, it } from 'vitest';
import { checkOfficialDocument } from '../../packages/conformance/src/testkit/official-schemas.ts';
import { sharedHost } from './host.ts';
import { rewinding } from './rewinding.ts';

/** What a run was before any of its events, and where two runs part. */

const node = (id: string, typeId: string, config: object = {}, more: object = {}) => ({
  id,
  typeId,
  config,
  ...more,
});
const chain = (id: string, nodes: readonly { readonly id: string }[], more: object = {}) => ({
  id,
  nodes,
  edges: nodes.slice(1).map((to, at) => ({ sourceNodeId: nodes[at]?.id, targetNodeId: to.id })),
  ...more,
});
const WORKFLOWS = [
  chain(
    'story',
    [
      node('first', 'vendor.baton.memory.write', { key: 'mood', content: 'calm' }),
      node('set', 'vendor.baton.set', { assign: { count: '1' } }),
      node('gate', 'core.approvalGate', { title: 'Go on?', actions: ['accept', 'reject'] }),
      node('second', 'vendor.baton.memory.write', { key: 'mood', content: 'excited' }),
      node('again', 'vendor.baton.set', { assign: { count: 'variables.count + 1' } }),
    ],
    { variables: [{ name: 'count', type: 'number', defaultValue: 0 }] },
  ),
  chain(
    'echo',
    [node('only', 'core.identity', {}, { inputs: { word: { type: 'variable', variableName: 'word' } } })],
    {
      variables: [{ name: 'word', type: 'string' }],
    },
  ),
  chain('doomed', [node('break', 'core.fail', { code: 'it_broke', message: 'as told' })]),
];
const KEYS = [
  { token: 'theirs', tenant: 'other', scopes: ['runs:create', 'runs:read'] },
  { token: 'starter', tenant: 'default', scopes: ['runs:create'] },
];
const { fork, forked, events, ended } = rewinding(() => host);
const host = await sharedHost({ workflows: WORKFLOWS }, KEYS);
afterAll(() => host.stop());

const answerGate = (runId: string, action = 'accept') =>
  host.post(`/v1/runs/${runId}/interrupts/gate`, { resumeValue: { action } });
async function story(): Promise<string> {
  const { runId } = (await host.run('story')).body;
  await answerGate(runId);
  await ended(runId);
  return runId;
}
const state = (runId: string, at?: number | string, key?: string) =>
  host.get(`/v1/runs/${runId}/state${at === undefined ? '' : `?at=${at}`}`, key === undefined ? {} : { key });
const diff = (a: string, b: string, key?: string) =>
  host.get(`/v1/runs/${a}/diff?against=${b}`, key === undefined ? {} : { key });
const erase = async (runId: string) => {
  expect((await host.post(`/v1/runs/${runId}:erase`, { reason: 'asked to' })).status).toBe(200);
};

describe('the state at an index', () => {
  it('MEM-10 READ-18 is what the run was before that event, memory included', async () => {
    const runId = await story();
    const log = await events(runId);
    const seen = [];
    for (let at = 0; at <= log.length; at += 1) {
      const { status, body } = await state(runId, at);
      expect(status).toBe(200);
      expect(body).toMatchObject({ runId, at });
      const [entry] = body.memory.entries;
      seen.push([body.variables.count, entry?.content]);
    }
    const indexOf = (type: string, nodeId: string) =>
      log.findIndex((event) => event.type === type && event.nodeId === nodeId);
    const expected = log.map((_, at) => [
      at === 0
        ? undefined
        : at <= indexOf('variable.changed', 'set')
          ? 0
          : at <= indexOf('variable.changed', 'again')
            ? 1
            : 2,
      at <= indexOf('memory.written', 'first')
        ? undefined
        : at <= indexOf('memory.written', 'second')
          ? 'calm'
          : 'excited',
    ]);
    expect(seen).toEqual([...expected, [2, 'excited']]);
  });

  it('is the run as it is now when no index is named', async () => {
    const runId = await story();
    const { body } = await state(runId);
    expect(body).toEqual((await state(runId, (await events(runId)).length)).body);
    expect(body).toMatchObject({ status: 'completed', nodeStates: { gate: { status: 'completed' } } });
    expect(body.memory.entries).toEqual([
      {
        id: 'mood',
        content: 'excited',
        tags: [],
        createdAt: expect.any(String),
        by: { runId, nodeId: 'second' },
      },
    ]);
  });

  it('shows of a fork what it took over', async () => {
    const source = await story();
    const cut = (await events(source)).findIndex(({ type }) => type === 'node.suspended') + 1;
    const { body } = await fork(source, { mode: 'branch', fromSeq: cut });
    expect((await state(body.runId, cut)).body).toMatchObject({
      variables: { count: 1 },
      memory: { entries: [{ content: 'calm', by: { runId: source } }] },
    });
  });

  it('ends with the log', async () => {
    const runId = await story();
    const { length } = await events(runId);
    expect(await state(runId, length + 1)).toMatchObject({
      status: 422,
      body: { error: 'fork_point_not_found', details: { at: length + 1, lastSequence: length - 1 } },
    });
  });
});

describe('the difference of two runs', () => {
  it.each(['/diff', ':diff'])('is nothing between a run and its replay: %s', async (path) => {
    const runId = await story();
    const replay = await forked(runId, { mode: 'replay' });
    const { status, body } = await host.get(`/v1/runs/${runId}${path}?against=${replay.runId}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      a: runId,
      b: replay.runId,
      divergedAtSeq: null,
      eventDiffs: [],
      stateDiff: { variables: {}, channels: {}, memory: {}, cost: expect.any(Object) },
      truncated: false,
    });
    checkOfficialDocument('run-diff-response', body);
  });

  it('is nothing between two runs that only have other names and times', async () => {
    const [a, b] = [await story(), await story()];
    expect((await diff(a, b)).body).toMatchObject({ divergedAtSeq: null, eventDiffs: [] });
  });

  it('names the event at which they part, and how they ended up', async () => {
    const source = await story();
    const cut = (await events(source)).findIndex(({ type }) => type === 'node.suspended') + 1;
    const { runId } = (await fork(source, { mode: 'branch', fromSeq: cut })).body;
    await answerGate(runId, 'reject');
    await ended(runId);
    const { body } = await diff(source, runId);
    checkOfficialDocument('run-diff-response', body);
    expect(body.divergedAtSeq).toBe(cut);
    expect(body.eventDiffs[0]).toMatchObject({
      seq: cut,
      op: 'changed',
      bEvent: { type: 'baton.run.branched' },
    });
    expect(body.stateDiff).toMatchObject({
      status: { a: 'completed', b: 'failed' },
      variables: { count: { a: 2, b: 1 } },
      memory: { mood: { a: { content: 'excited' }, b: { content: 'calm' } } },
    });
    const other = (await diff(runId, source)).body;
    const swapped = { added: 'removed', removed: 'added', changed: 'changed' } as const;
    expect(other.eventDiffs.map(({ op }: { op: keyof typeof swapped }) => swapped[op])).toEqual(
      body.eventDiffs.map(({ op }: { op: string }) => op),
    );
  });

  it('tells runs apart that were given something else, and says when one goes on', async () => {
    const one = (await host.run('echo', { inputs: { word: 'this' } })).body.runId;
    const other = (await host.run('echo', { inputs: { word: 'that' } })).body.runId;
    const { body } = await diff(one, other);
    checkOfficialDocument('run-diff-response', body);
    expect(body).toMatchObject({ divergedAtSeq: 0, truncated: false });
    const waiting = (await host.run('story')).body.runId;
    expect((await diff(one, waiting)).body.truncated).toBe(true);
  });

  it('is not found when either run is another tenant’s', async () => {
    const ours = await story();
    const made = await host.post(
      '/v1/runs',
      { workflowId: 'echo', inputs: { word: 'x' } },
      { key: 'theirs' },
    );
    const theirs = made.body.runId;
    for (const [a, b, key] of [
      [ours, theirs, undefined],
      [theirs, ours, undefined],
      [ours, theirs, 'theirs'],
      [ours, 'no-such-run', undefined],
    ] as const) {
      expect((await diff(a, b, key)).status).toBe(404);
    }
  });
});

describe('what was erased', () => {
  it('is the base of nothing, and nobody is told more than that', async () => {
    const runId = await story();
    const other = await story();
    await erase(runId);
    for (const answer of [
      await state(runId, 3),
      await state(runId, 0),
      await diff(runId, other),
      await diff(other, runId),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([410, 'run_erased']);
      expect(answer.text).not.toMatch(/calm|excited/);
    }
  });

  it.each([
    [{ mode: 'replay' }, 0],
    [{ mode: 'replay', fromSeq: 3 }, 3],
    [{ mode: 'branch', fromSeq: 0 }, 0],
    [{ mode: 'branch', fromSeq: 2 }, 2],
  ])('MEM-11 MEM-12 READ-12 is not forked: %j', async (body, fromSeq) => {
    const runId = await story();
    await erase(runId);
    const answer = await fork(runId, body);
    expect(answer).toMatchObject({
      status: 422,
      body: {
        error: 'replay_memory_snapshot_unavailable',
        details: { fromSeq, sourceRunId: runId, reason: 'event_log_unavailable' },
      },
    });
    // Nothing later is there either, so no such index is named.
    expect(answer.text).not.toContain('oldestAvailableIdx');
    expect(answer.text).not.toMatch(/calm|excited/);
    // Where to begin is judged first.
    const beyond = await fork(runId, { ...body, fromSeq: 9999 });
    expect(beyond).toMatchObject({ status: 422, body: { error: 'fork_point_not_found' } });
  });

  it('is not tried again', async () => {
    const { runId } = (await host.run('doomed')).body;
    await erase(runId);
    const answer = await host.post(`/v1/runs/${runId}:retry`, {});
    expect([answer.status, answer.body.error]).toEqual([410, 'run_erased']);
  });
});
