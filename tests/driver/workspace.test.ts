import type { EventOf, RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import {
  hand,
  inOrder,
  LOOP_EDGES,
  node,
  TERMINATE,
  workflow,
} from '../../packages/engine/src/testkit/workflows.ts';
import { verifies } from '../verifies.ts';
import { answer, begin, fork } from './rewinding.ts';
import { type Bench, CALLER, settled, startTestEngine } from './test-engine.ts';

/** The files of a workspace, as runs read and write them beside people. */

const SCOPE = 'workspace:default';
const write = (id: string, config: Record<string, unknown>) =>
  node(id, 'vendor.baton.workspace.write', config);
const read = (id: string, path: string) => node(id, 'vendor.baton.workspace.read', { path, into: 'file' });
const gate = (id: string) => node(id, 'core.approvalGate', { title: 'Go on?' });
const line = (id: string, nodes: readonly Record<string, unknown>[]) =>
  workflow(id, nodes, { edges: inOrder(nodes) });

const put = async (top: Bench, path: string, content: string) => {
  const file = { workspace: 'default', path, content, contentType: 'text/plain' };
  const reply = await top.execute({ kind: 'put-file', caller: CALLER, ...file });
  expect(reply).toMatchObject({ ok: true });
};
const version = (top: Bench) => top.reads.scope(CALLER.tenant, SCOPE)?.version ?? 0;
const files = (top: Bench) =>
  top.reads
    .memory({ tenant: CALLER.tenant, view: [{ scope: SCOPE, version: version(top) }], now: 0, limit: 100 })
    .map(({ id, content, revision }) => `${id}@${revision}=${content}`);
const of = <T extends RunEvent['type']>(top: Bench, runId: string, type: T) =>
  top.events(runId).filter((event): event is EventOf<T> => event.type === type);
const outputs = (top: Bench, runId: string, nodeId: string) =>
  of(top, runId, 'node.completed').find((event) => event.nodeId === nodeId)?.payload.outputs;
const failure = (top: Bench, runId: string) => of(top, runId, 'run.failed')[0]?.payload.error;

/** Decides by the files that the turn was given, and tells in its reason which ones these were. */
const watching = (condition: string, more: string) => {
  const decide = `${condition} ? {"kind": "terminate", "reason": string(turn.iteration) + turn.workspace[0].content + string(turn.workspace[0].version)} : ${more}`;
  return workflow(
    'watching',
    [
      node('supervisor', 'core.orchestrator.supervisor', {}, { settings: { decide } }),
      node('dispatch', 'core.dispatch'),
    ],
    { edges: LOOP_EDGES },
  );
};
const decisions = (top: Bench, runId: string) =>
  of(top, runId, 'runOrchestrator.decided').map(({ payload }) => payload.decision);
const given = (top: Bench, runId: string) =>
  of(top, runId, 'node.started').flatMap(
    ({ payload }) => payload.turn?.workspace?.version ?? (payload.turn ? 0 : []),
  );

describe('a supervisor’s turn', () => {
  it('is given the files as they were when it began: one written meanwhile is the next turn’s', async () => {
    verifies('STATE-06', 'STATE-08');
    const top = await startTestEngine();
    await top.register(watching('size(turn.workspace) > 0', '{"kind": "ask-user", "prompt": "Well?"}'));
    const runId = await begin(top, 'watching');
    await put(top, 'a.md', ' once ');
    await put(top, 'a.md', ' twice ');
    // The turn that asks goes on with what it began with; only the next one looks again.
    expect(given(top, runId)).toEqual([0]);
    await answer(top, runId, 'dispatch', { answers: { answer: 'yes' } });
    expect(given(top, runId)).toEqual([0, 2]);
    expect(decisions(top, runId).at(-1)).toEqual({ kind: 'terminate', reason: '2 twice 2' });
  });

  it('sees in the next turn what its worker wrote, and never in its own', async () => {
    verifies('STATE-06', 'STATE-08');
    const top = await startTestEngine();
    await top.register(
      watching('size(turn.workspace) > 0', '{"kind": "next-worker", "nextWorkerIds": ["writer"]}'),
      line('writer', [write('write', { path: 'a.md', content: ' found ' })]),
    );
    const runId = await begin(top, 'watching');
    await settled();
    expect(decisions(top, runId)).toEqual([hand('writer'), { kind: 'terminate', reason: '2 found 1' }]);
    expect(of(top, `${runId}.1`, 'workspace.updated').map(({ payload }) => payload)).toEqual([
      { path: 'a.md', version: 1 },
    ]);
    expect(JSON.stringify(top.events(`${runId}.1`))).not.toContain(' found ');
  });

  it('runs the same without a single file', async () => {
    verifies('STATE-06');
    const top = await startTestEngine();
    await top.register(watching('turn.iteration < 2 && size(turn.workspace) > 0', JSON.stringify(TERMINATE)));
    const runId = await begin(top, 'watching');
    expect(top.status(runId)).toBe('completed');
    expect(given(top, runId)).toEqual([0]);
  });

  it('is given the same again in a replay, whatever the files are by then', async () => {
    verifies('STATE-06', 'STATE-05', 'REPLAY-08');
    const top = await startTestEngine();
    await put(top, 'a.md', ' old ');
    await top.register(watching('size(turn.workspace) > 0', JSON.stringify(TERMINATE)));
    const source = await begin(top, 'watching');
    await put(top, 'a.md', ' new ');
    const { runId } = await fork(top, source, { mode: 'replay' });
    expect(given(top, runId)).toEqual([1]);
    expect(decisions(top, runId)).toEqual([{ kind: 'terminate', reason: '1 old 1' }]);
    expect(top.types(runId)).not.toContain('replay.diverged');
  });

  it('is given the files as they are in a branch', async () => {
    verifies('STATE-06');
    const top = await startTestEngine();
    await put(top, 'a.md', ' old ');
    await top.register(watching('size(turn.workspace) > 0', JSON.stringify(TERMINATE)));
    const source = await begin(top, 'watching');
    await put(top, 'a.md', ' new ');
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq: 1 });
    expect(decisions(top, runId)).toEqual([{ kind: 'terminate', reason: '1 new 2' }]);
  });

  it('finds the files as they were after a suspension and a restart, and what was added', async () => {
    verifies('STATE-10');
    const first = await startTestEngine();
    await put(first, 'a.md', ' one ');
    await first.register(watching('size(turn.workspace) > 1', '{"kind": "ask-user", "prompt": "Well?"}'));
    const runId = await begin(first, 'watching');
    const top = await first.crash();
    await put(top, 'b.md', ' two ');
    await answer(top, runId, 'dispatch', { answers: { answer: 'yes' } });
    expect(given(top, runId)).toEqual([1, 2]);
    expect(decisions(top, runId).at(-1)).toEqual({ kind: 'terminate', reason: '2 two 1' });
  });
});

describe('a run', () => {
  it('writes files and reads them back', async () => {
    const top = await startTestEngine();
    await top.register(
      line('writes', [
        write('one', { path: 'a.md', content: 'one' }),
        write('two', { path: 'a.md', content: { two: 2 } }),
        read('back', 'a.md'),
        read('none', 'never.md'),
      ]),
    );
    const runId = await begin(top, 'writes');
    await settled();
    expect(outputs(top, runId, 'one')).toEqual({ path: 'a.md', version: 1 });
    expect(outputs(top, runId, 'back')).toEqual({ file: { path: 'a.md', version: 2, content: '{"two":2}' } });
    expect(outputs(top, runId, 'none')).toEqual({ file: null });
    expect(files(top)).toEqual(['a.md@2={"two":2}']);
    expect(top.status(runId)).toBe('completed');
  });

  it('goes on from what people wrote, and loses nothing beside others', async () => {
    const top = await startTestEngine();
    await put(top, 'a.md', 'by hand');
    await top.register(line('writes', [write('one', { path: 'a.md', content: 'by a run' })]));
    const runs = await Promise.all(Array.from({ length: 8 }, () => begin(top, 'writes')));
    while (runs.some((runId) => top.status(runId) !== 'completed')) await settled();
    const versions = runs.map((runId) => of(top, runId, 'workspace.updated')[0]?.payload.version ?? 0);
    expect(versions.sort((one, other) => one - other)).toEqual(runs.map((_, at) => at + 2));
    expect(files(top)).toEqual(['a.md@9=by a run']);
    expect(top.logged).toEqual([]);
  });

  it.each([
    ['no path', { content: 'x' }, 'input_invalid'],
    ['no content', { path: 'a.md' }, 'input_invalid'],
    // Three bytes each: more than a file holds, and less than a definition does.
    ['too much', { path: 'a.md', content: '€'.repeat(400_000) }, 'workspace_too_large'],
  ])('fails clearly with %s', async (_what, config, code) => {
    const top = await startTestEngine();
    await top.register(line('writes', [write('one', config)]));
    const runId = await begin(top, 'writes');
    expect(failure(top, runId)).toMatchObject({ code, message: expect.stringContaining('one') });
    expect(version(top)).toBe(0);
  });

  it('checks a path that is only known later like one that is written down', async () => {
    const top = await startTestEngine();
    const bad = workflow('bad', [write('one', { path: '../a.md', content: 'x' })]);
    await expect(top.register(bad)).rejects.toThrow('path');
    const inputs = { path: { type: 'static', value: '../a.md' } };
    await top.register(workflow('late', [{ ...write('one', { content: 'x' }), inputs }]));
    expect(failure(top, await begin(top, 'late'))).toMatchObject({ code: 'input_invalid' });
  });
});

describe('a replay', () => {
  const STORY = line('story', [
    read('before', 'a.md'),
    write('one', { path: 'a.md', content: 'mine' }),
    read('after', 'a.md'),
    gate('gate'),
    write('two', { path: 'a.md', content: 'mine again' }),
  ]);

  it('says again what its source wrote and read, and touches no file', async () => {
    verifies('REPLAY-08', 'REPLAY-14');
    const top = await startTestEngine();
    await top.register(STORY);
    const source = await begin(top, 'story');
    await settled();
    await answer(top, source, 'gate');
    await put(top, 'a.md', 'somebody else’s');
    const before = version(top);
    for (let fromSeq = 0; fromSeq <= top.events(source).length; fromSeq += 1) {
      const { runId } = await fork(top, source, { mode: 'replay', fromSeq });
      expect(JSON.stringify(top.events(runId)).replaceAll(runId, source)).toBe(
        JSON.stringify(top.events(source)),
      );
    }
    expect(version(top)).toBe(before);
    expect(files(top)).toEqual(['a.md@3=somebody else’s']);
  });

  it('fails rather than write what its source did not', async () => {
    verifies('REPLAY-14', 'FAIL-06');
    const top = await startTestEngine();
    await top.register(STORY);
    const source = await begin(top, 'story');
    await settled();
    const { runId } = await fork(top, source, { mode: 'replay' });
    await answer(top, runId, 'gate');
    expect(failure(top, runId)).toMatchObject({ code: 'replay_source_missing' });
    expect(files(top)).toEqual(['a.md@1=mine']);
  });

  it('writes for real as a branch', async () => {
    const top = await startTestEngine();
    await top.register(STORY);
    const source = await begin(top, 'story');
    await settled();
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq: top.events(source).length });
    await answer(top, runId, 'gate');
    expect(top.status(runId)).toBe('completed');
    expect(files(top)).toEqual(['a.md@2=mine again']);
  });
});
