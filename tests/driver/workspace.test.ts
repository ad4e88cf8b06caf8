import { describe, expect, it } from 'vitest';
import {
  hand,
  LOOP_EDGES,
  node,
  TERMINATE,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { verifies } from '../verifies.ts';
import { gate, line } from './forking.ts';
import { answer, begin, fork } from './rewinding.ts';
import { type Bench, CALLER, settled, startTestEngine } from './test-engine.ts';

/** The files of a workspace, as runs read and write them beside people. */

const SCOPE = 'workspace:default';
const write = (id: string, config: Record<string, unknown>) =>
  node(id, 'vendor.baton.workspace.write', config);
const read = (id: string, path: string) => node(id, 'vendor.baton.workspace.read', { path, into: 'file' });
const put = async (top: Bench, path: string, content: string) => {
  const file = { workspace: 'default', path, content, contentType: 'text/plain' };
  const reply = await top.execute({ kind: 'put-file', caller: CALLER, ...file });
  expect(reply).toMatchObject({ ok: true });
};
const version = async (top: Bench) => (await top.reads.scope(CALLER.tenant, SCOPE))?.version ?? 0;
const files = async (top: Bench) =>
  (
    await top.reads.memory({
      tenant: CALLER.tenant,
      view: [{ scope: SCOPE, version: await version(top) }],
      now: 0,
      limit: 100,
    })
  ).map(({ id, content, revision }) => `${id}@${revision}=${content}`);
const outputs = async (top: Bench, runId: string, nodeId: string) =>
  (await top.of(runId, 'node.completed')).find((event) => event.nodeId === nodeId)?.payload.outputs;
const failure = async (top: Bench, runId: string) => (await top.of(runId, 'run.failed'))[0]?.payload.error;

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
const decisions = async (top: Bench, runId: string) =>
  (await top.of(runId, 'runOrchestrator.decided')).map(({ payload }) => payload.decision);
const given = async (top: Bench, runId: string) =>
  (await top.of(runId, 'node.started')).flatMap(
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
    expect(await given(top, runId)).toEqual([0]);
    await answer(top, runId, 'dispatch', { answers: { answer: 'yes' } });
    expect(await given(top, runId)).toEqual([0, 2]);
    expect((await decisions(top, runId)).at(-1)).toEqual({ kind: 'terminate', reason: '2 twice 2' });
  });

  it('STATE-06 STATE-08 sees in the next turn what its worker wrote, and never in its own', async () => {
    const top = await startTestEngine();
    await top.register(
      watching('size(turn.workspace) > 0', '{"kind": "next-worker", "nextWorkerIds": ["writer"]}'),
      line('writer', [write('write', { path: 'a.md', content: ' found ' })]),
    );
    const runId = await begin(top, 'watching');
    await settled();
    expect(await decisions(top, runId)).toEqual([hand('writer'), { kind: 'terminate', reason: '2 found 1' }]);
    expect((await top.of(`${runId}.1`, 'workspace.updated')).map(({ payload }) => payload)).toEqual([
      { path: 'a.md', version: 1 },
    ]);
    expect(JSON.stringify(await top.events(`${runId}.1`))).not.toContain(' found ');
  });

  it('STATE-06 runs the same without a single file', async () => {
    const top = await startTestEngine();
    await top.register(watching('turn.iteration < 2 && size(turn.workspace) > 0', JSON.stringify(TERMINATE)));
    const runId = await begin(top, 'watching');
    expect(await top.status(runId)).toBe('completed');
    expect(await given(top, runId)).toEqual([0]);
  });

  it('is given the same again in a replay, whatever the files are by then', async () => {
    verifies('STATE-06', 'STATE-05', 'REPLAY-08');
    const top = await startTestEngine();
    await put(top, 'a.md', ' old ');
    await top.register(watching('size(turn.workspace) > 0', JSON.stringify(TERMINATE)));
    const source = await begin(top, 'watching');
    await put(top, 'a.md', ' new ');
    const { runId } = await fork(top, source, { mode: 'replay' });
    expect(await given(top, runId)).toEqual([1]);
    expect(await decisions(top, runId)).toEqual([{ kind: 'terminate', reason: '1 old 1' }]);
    expect(await top.types(runId)).not.toContain('replay.diverged');
  });

  it('STATE-06 is given the files as they are in a branch', async () => {
    const top = await startTestEngine();
    await put(top, 'a.md', ' old ');
    await top.register(watching('size(turn.workspace) > 0', JSON.stringify(TERMINATE)));
    const source = await begin(top, 'watching');
    await put(top, 'a.md', ' new ');
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq: 1 });
    expect(await decisions(top, runId)).toEqual([{ kind: 'terminate', reason: '1 new 2' }]);
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
    expect(await given(top, runId)).toEqual([1, 2]);
    expect((await decisions(top, runId)).at(-1)).toEqual({ kind: 'terminate', reason: '2 two 1' });
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
    expect(await outputs(top, runId, 'one')).toEqual({ path: 'a.md', version: 1 });
    expect(await outputs(top, runId, 'back')).toEqual({
      file: { path: 'a.md', version: 2, content: '{"two":2}' },
    });
    expect(await outputs(top, runId, 'none')).toEqual({ file: null });
    expect(await files(top)).toEqual(['a.md@2={"two":2}']);
    expect(await top.status(runId)).toBe('completed');
  });

  it('goes on from what people wrote, and loses nothing beside others', async () => {
    const top = await startTestEngine();
    await put(top, 'a.md', 'by hand');
    await top.register(line('writes', [write('one', { path: 'a.md', content: 'by a run' })]));
    const runs = await Promise.all(Array.from({ length: 8 }, () => begin(top, 'writes')));
    const statuses = () => Promise.all(runs.map((runId) => top.status(runId)));
    while ((await statuses()).some((status) => status !== 'completed')) await settled();
    const updates = await Promise.all(runs.map((runId) => top.of(runId, 'workspace.updated')));
    const versions = updates.map(([first]) => first?.payload.version ?? 0);
    expect(versions.sort((one, other) => one - other)).toEqual(runs.map((_, at) => at + 2));
    expect(await files(top)).toEqual(['a.md@9=by a run']);
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
    expect(await failure(top, runId)).toMatchObject({ code, message: expect.stringContaining('one') });
    expect(await version(top)).toBe(0);
  });

  it('checks a path that is only known later like one that is written down', async () => {
    const top = await startTestEngine();
    const bad = workflow('bad', [write('one', { path: '../a.md', content: 'x' })]);
    await expect(top.register(bad)).rejects.toThrow('path');
    const inputs = { path: { type: 'static', value: '../a.md' } };
    await top.register(workflow('late', [{ ...write('one', { content: 'x' }), inputs }]));
    expect(await failure(top, await begin(top, 'late'))).toMatchObject({ code: 'input_invalid' });
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

  it('REPLAY-08 REPLAY-14 says again what its source wrote and read, and touches no file', async () => {
    const top = await startTestEngine();
    await top.register(STORY);
    const source = await begin(top, 'story');
    await settled();
    await answer(top, source, 'gate');
    await put(top, 'a.md', 'somebody else’s');
    const before = await version(top);
    for (let fromSeq = 0; fromSeq <= (await top.events(source)).length; fromSeq += 1) {
      const { runId } = await fork(top, source, { mode: 'replay', fromSeq });
      expect(JSON.stringify(await top.events(runId)).replaceAll(runId, source)).toBe(
        JSON.stringify(await top.events(source)),
      );
    }
    expect(await version(top)).toBe(before);
    expect(await files(top)).toEqual(['a.md@3=somebody else’s']);
  });

  it('REPLAY-14 FAIL-06 fails rather than write what its source did not', async () => {
    const top = await startTestEngine();
    await top.register(STORY);
    const source = await begin(top, 'story');
    await settled();
    const { runId } = await fork(top, source, { mode: 'replay' });
    await answer(top, runId, 'gate');
    expect(await failure(top, runId)).toMatchObject({ code: 'replay_source_missing' });
    expect(await files(top)).toEqual(['a.md@1=mine']);
  });

  it('writes for real as a branch', async () => {
    const top = await startTestEngine();
    await top.register(STORY);
    const source = await begin(top, 'story');
    await settled();
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq: (await top.events(source)).length });
    await answer(top, runId, 'gate');
    expect(await top.status(runId)).toBe('completed');
    expect(await files(top)).toEqual(['a.md@2=mine again']);
  });
});
