import { describe, expect, it } from 'vitest';
import {
  boss,
  declare,
  hand,
  node,
  TERMINATE,
  worker,
  workflow,
} from '../../packages/engine/src/testkit/workflows.ts';
import { verifies } from '../verifies.ts';
import { after, answer, effect, expectSameFrom, fork, gate, line, quiet, start } from './forking.ts';
import { type Bench, CALLER, handClock, settled, startTestEngine } from './test-engine.ts';

/** Forks of a run after something around it has changed: the floor of the host, the time, the caller's scopes. */

const DAY = 86_400_000;
const judged = (settings: Record<string, unknown>) => {
  const parent = boss([hand('good'), TERMINATE], { outputMapping: { report: 'text' } }) as {
    nodes: Record<string, unknown>[];
  };
  parent.nodes[1] = { ...parent.nodes[1], settings };
  return parent;
};
const good = worker('good', { text: 'fine' });
const floor = (confidenceFloor: number) => ({ limits: { confidenceFloor } });

describe('a replay after the floor of the host was changed', () => {
  const CRITIC = workflow('critic', [node('judge', 'core.noop')], {
    variables: declare({ verdict: 'pass', confidence: 0.6 }),
  });
  const unsure = boss([{ ...hand('good'), confidence: 0.6 }, TERMINATE]);
  const doubted = judged({ verifier: { workflowId: 'critic' } });
  const WAYS = [
    ['of a decision', unsure, 'supervisor'],
    ['of a critic', doubted, 'dispatch'],
  ] as const;

  it.each(WAYS)('asks nobody about the confidence %s that nobody was asked about', async (_what, parent) => {
    verifies('CONF-02', 'REPLAY-08');
    const top = await startTestEngine(floor(0.5));
    await top.register(parent, good, CRITIC);
    const source = await start(top, 'boss');
    expect(await top.status(source)).toBe('completed');
    await expectSameFrom(await top.crash(floor(0.9)), source, [0, 3]);
  });

  it.each(WAYS)('repeats that a person was asked about the confidence %s', async (_what, parent, nodeId) => {
    verifies('CONF-06', 'REPLAY-08');
    const top = await startTestEngine(floor(0.9));
    await top.register(parent, good, CRITIC);
    const source = await start(top, 'boss');
    expect(await top.status(source)).toBe('waiting-approval');
    await answer(top, source, nodeId);
    expect(await top.status(source)).toBe('completed');
    await expectSameFrom(await top.crash(floor(0.5)), source, [0, 3]);
  });
});

describe('a branch much later', () => {
  const critic = workflow('critic', [node('gate', 'core.approvalGate', { title: 'Well?' })], {
    variables: declare({ verdict: 'pass' }),
  });

  /** A run whose critic waits for a person and has half of its time left. */
  async function halfJudged() {
    const time = handClock();
    const top = await startTestEngine({ clock: time.clock });
    const parent = judged({ verifier: { workflowId: 'critic', timeoutMs: 1000 } });
    await top.register(
      { ...parent, nodes: [...parent.nodes, node('clock', 'core.delay', { ms: 500 })] },
      good,
      critic,
    );
    const source = await start(top, 'boss');
    await time.move(500);
    const cut = await after(top, source, 'node.completed', 'clock');
    await time.move(DAY);
    return { top, time, source, branch: await fork(top, source, { mode: 'branch', fromSeq: cut }) };
  }

  it('has a critic of its own, which has the time left that it had at the cut', async () => {
    verifies('READ-31');
    const { top, time, source, branch } = await halfJudged();
    expect(await top.status(branch)).toBe('waiting-approval');
    const before = await top.events(`${source}.2`);
    await time.move(499);
    await answer(top, `${branch}.2`, 'gate');
    expect(await top.status(branch)).toBe('completed');
    expect(await top.types(branch)).toContain('variable.changed');
    expect(await top.events(`${source}.2`)).toEqual(before);
  });

  it('counts its critic as late when that time is over', async () => {
    verifies('READ-21');
    const { top, time, branch } = await halfJudged();
    await time.move(500);
    await quiet();
    expect(await top.status(`${branch}.2`)).toBe('cancelled');
    expect(await top.types(branch)).not.toContain('variable.changed');
  });

  it('waits as long for the next attempt of a node as was left at the cut', async () => {
    const time = handClock();
    const top = await startTestEngine({
      clock: time.clock,
      perform: async () => ({ kind: 'failed', error: { code: 'busy', message: 'always' } }),
    });
    const settings = { retry: { maxRetries: 1, backoffMs: 1000 } };
    await top.register(line('tries', [effect('effect', { settings })]));
    const source = await start(top, 'tries');
    const cut = await after(top, source, 'node.retried', 'effect');
    await time.move(DAY);
    const branch = await fork(top, source, { mode: 'branch', fromSeq: cut });
    const attempts = async () => (await top.types(branch)).filter((type) => type === 'node.started').length;
    expect(await attempts()).toBe(1);
    await time.move(1000);
    await settled();
    expect(await attempts()).toBe(2);
  });
});

describe('a branch by somebody else', () => {
  const FILES = line('files', [
    gate('gate'),
    node('file', 'vendor.baton.workspace.write', { path: 'a.md', content: 'x' }),
  ]);

  async function begun(top: Bench, scopes: readonly string[]): Promise<string> {
    await top.register(FILES);
    const made = await top.execute({
      kind: 'create-run',
      caller: CALLER,
      body: { workflowId: 'files' },
      scopes,
    });
    if (!made.ok || made.value.kind !== 'run') throw new Error(JSON.stringify(made));
    await quiet();
    return made.value.runId;
  }

  it('may do no more than the run that it comes from, whatever its caller may', async () => {
    verifies('SCOPE-02', 'FAIL-11');
    const top = await startTestEngine();
    const source = await begun(top, ['runs:create']);
    const body = { mode: 'branch', fromSeq: (await top.events(source)).length } as const;
    const scopes = ['runs:create', 'workspace:write'];
    const ben = { ...CALLER, principal: 'ben' };
    const reply = await top.execute({ kind: 'fork-run', caller: ben, runId: source, body, scopes });
    if (!reply.ok || reply.value.kind !== 'fork') throw new Error(JSON.stringify(reply));
    await quiet();
    await answer(top, reply.value.runId, 'gate');
    expect((await top.events(reply.value.runId)).at(-1)).toMatchObject({
      type: 'run.failed',
      payload: { error: { code: 'forbidden' } },
    });
  });

  it('keeps the limits of the run that it does not change', async () => {
    verifies('STATE-03');
    const time = handClock();
    const top = await startTestEngine({ clock: time.clock });
    await top.register(line('asks', [gate('gate')]));
    const source = await start(top, 'asks', { configurable: { runTimeoutMs: 1000 } });
    for (const fromSeq of [0, (await top.events(source)).length]) {
      const runOptionsOverlay = { configurable: { recursionLimit: 50 } };
      const branch = await fork(top, source, { mode: 'branch', fromSeq, runOptionsOverlay });
      await time.move(1001);
      await quiet();
      expect([fromSeq, await top.status(branch)]).toEqual([fromSeq, 'failed']);
    }
  });
});
