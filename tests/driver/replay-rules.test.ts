import { describe, expect, it } from 'vitest';
import {
  boss,
  edge,
  hand,
  look,
  node,
  remember,
  TERMINATE,
  workflow,
} from '../../packages/engine/src/testkit/workflows.ts';
import { verifies } from '../verifies.ts';
import { answer, child, expectSameFrom, fork, gate, line, quiet, start } from './forking.ts';
import { type Bench, CALLER, startTestEngine } from './test-engine.ts';

/** What a run of the newest rules records is recorded again by its replays, from every index and after a crash. */

const NOTING = line('noting', [remember('note', { key: 'k', content: 'x' }), gate('ask')]);
const LETTING_GO = line('letting-go', [
  child('call', 'noting', { waitForCompletion: false }),
  gate('wait'),
  look('late'),
]);
const QUITTER = {
  ...boss([{ kind: 'terminate', successCriteria: [{ key: 'done', met: false }] }]),
  id: 'quitter',
};
const CRITIC = workflow('critic', [gate('judge')], {
  variables: [{ name: 'verdict', type: 'string', defaultValue: 'revise' }],
});

async function host(...definitions: readonly unknown[]): Promise<Bench> {
  const top = await startTestEngine();
  await top.register(...definitions);
  return top;
}

const cancel = async (top: Bench, runId: string) => {
  expect(await top.execute({ kind: 'cancel-run', caller: CALLER, runId })).toMatchObject({ ok: true });
  await quiet();
};

describe('a replay', () => {
  it('of a loop without an edge back, whose worker gave up, does the same again', async () => {
    verifies('READ-34', 'READ-41');
    const loop = boss(
      [hand('quitter'), hand('quitter'), TERMINATE],
      {},
      { edges: [edge('supervisor', 'dispatch')] },
    );
    const top = await host(loop, QUITTER);
    const source = await start(top, 'boss', { configurable: { maxLoopIterations: 5 } });
    expect(await top.status(source)).toBe('completed');
    await expectSameFrom(top, source);
  });

  it('of an edited decision does the same again', async () => {
    verifies('READ-35');
    const top = await host(boss([{ ...hand('quitter'), confidence: 0.1 }, TERMINATE]), QUITTER);
    const source = await start(top, 'boss');
    await answer(top, source, 'supervisor', {
      action: 'edit-accept',
      editedArtifactData: hand('quitter', 'quitter'),
    });
    expect(await top.status(source)).toBe('completed');
    await expectSameFrom(top, source);
  });

  it('of a child that no node waited for does the same again', async () => {
    verifies('READ-38');
    const first = await host(LETTING_GO, NOTING);
    const source = await start(first, 'letting-go');
    const top = await first.crash();
    await answer(top, `${source}.1`, 'ask');
    await answer(top, source, 'wait');
    expect(await top.status(source)).toBe('completed');
    expect((await top.events(source)).map(({ type }) => type)).toContain('baton.memory.carried');
    await expectSameFrom(top, source);
  });

  it('of work that a critic sent back does the same again', async () => {
    verifies('READ-42', 'READ-43');
    const loop = boss([hand('noting'), TERMINATE]) as { nodes: Record<string, unknown>[] };
    loop.nodes[1] = { ...loop.nodes[1], settings: { verifier: { workflowId: 'critic', maxRevisions: 5 } } };
    const top = await host(loop, NOTING, CRITIC);
    const source = await start(top, 'boss', { configurable: { maxLoopIterations: 2 } });
    for (const [run, at] of [
      ['.1', 'ask'],
      ['.2', 'judge'],
      ['.3', 'ask'],
      ['.4', 'judge'],
    ] as const)
      await answer(top, source + run, at);
    expect(await top.status(source)).toBe('failed');
    await expectSameFrom(top, source);
  });

  it('of a child that was stopped at a gate does the same again', async () => {
    verifies('ATTEST-19');
    const settings = { outputAttestation: { requireApproval: true } };
    const inner = line('inner', [child('hand', 'quitter', { outputMapping: { a: 'b' } }, { settings })]);
    const outer = line('outer', [child('call', 'inner', { onChildFailure: 'absorb' }), gate('end')]);
    const top = await host(outer, inner, QUITTER);
    const source = await start(top, 'outer');
    await cancel(top, `${source}.1`);
    expect((await top.events(`${source}.1`)).map(({ type }) => type)).toContain('baton.merge.settled');
    await answer(top, source, 'end');
    expect(await top.status(source)).toBe('completed');
    await expectSameFrom(top, source);
  });
});

describe('a branch', () => {
  it('has a child of its own in the place of one that no node waited for', async () => {
    verifies('READ-38');
    const top = await host(LETTING_GO, NOTING);
    const source = await start(top, 'letting-go');
    const cut = (await top.events(source)).length;
    await answer(top, `${source}.1`, 'ask');
    const branch = await fork(top, source, { mode: 'branch', fromSeq: cut });
    await answer(top, `${branch}.1`, 'ask');
    await answer(top, branch, 'wait');
    const ended = (await top.events(branch)).filter(({ type }) => type === 'baton.child.ended');
    expect(ended).toMatchObject([{ payload: { childRunId: `${branch}.1`, status: 'completed' } }]);
    expect(await top.status(branch)).toBe('completed');
  });
});

it('tells each run which rules it goes by, and its children', async () => {
  const top = await host(
    workflow('parent', [node('call', 'core.subWorkflow', { workflowId: 'noting' })]),
    NOTING,
  );
  const source = await start(top, 'parent');
  for (const runId of [source, `${source}.1`])
    expect((await top.events(runId))[0]!.payload).toMatchObject({ rules: 3 });
});
