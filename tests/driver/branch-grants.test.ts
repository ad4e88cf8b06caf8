import { describe, expect, it } from 'vitest';
import { declare, node, workflow } from '../../packages/engine/src/testkit/workflows.ts';
import { after, answer, effect, gate, line, quiet } from './forking.ts';
import { type Bench, CALLER, handClock, startTestEngine } from './test-engine.ts';

/** Which grant a branch has to go back to, where there are several, and how a grant may have been given. */

const RUNNER = ['runs:create', 'runs:read'];
const AMOUNT = { variables: declare({ amount: 10 }) };
const SHOWN = { inputs: { amount: { type: 'variable', variableName: 'amount' } } };
const OVERLAY = { variables: { amount: 1_000_000 } };

async function begin(top: Bench, workflowId: string): Promise<string> {
  const reply = await top.execute({
    kind: 'create-run',
    caller: CALLER,
    scopes: RUNNER,
    body: { workflowId },
  });
  if (!reply.ok || reply.value.kind !== 'run') throw new Error(JSON.stringify(reply));
  await quiet();
  return reply.value.runId;
}

async function branch(top: Bench, runId: string, fromSeq: number) {
  const body = { mode: 'branch', fromSeq, runOptionsOverlay: OVERLAY } as const;
  const reply = await top.execute({ kind: 'fork-run', caller: CALLER, runId, scopes: RUNNER, body });
  await quiet();
  return reply;
}

describe('a branch with other values', () => {
  it('is refused behind an approval that changed what it approved', async () => {
    const top = await startTestEngine();
    const shown = { ...gate('ok', { actions: ['accept', 'edit-accept'] }), ...SHOWN };
    await top.register(line('edited', [shown, effect('pay')], AMOUNT));
    const runId = await begin(top, 'edited');
    await answer(top, runId, 'ok', { action: 'edit-accept', editedArtifactData: { amount: 9 } });
    expect(top.performed).toHaveLength(1);
    expect(await branch(top, runId, await after(top, runId, 'node.started', 'pay'))).toMatchObject({
      ok: false,
      error: { error: 'forbidden', details: { scope: 'approvals:override' } },
    });
    expect(top.performed).toHaveLength(1);
  });

  it('is sent back to the first of several grants, not to the question that is open', async () => {
    const top = await startTestEngine();
    await top.register(line('twice', [gate('one'), { ...gate('two'), ...SHOWN }], AMOUNT));
    const runId = await begin(top, 'twice');
    await answer(top, runId, 'one');
    expect(await top.status(runId)).toBe('waiting-approval');
    const first = (await after(top, runId, 'node.started', 'one')) - 1;
    expect(await branch(top, runId, (await top.events(runId)).length)).toMatchObject({
      ok: false,
      error: { details: { runId, earliestApproval: first } },
    });
    expect(await branch(top, runId, first)).toMatchObject({
      ok: true,
      value: { status: 'waiting-approval' },
    });
  });
});

describe('a tree that was being worked on when the engine was lost', () => {
  it('has made no progress when it was looked at and did nothing', async () => {
    const time = handClock();
    let top = await startTestEngine({ clock: time.clock });
    await top.register(workflow('w', [node('wait', 'core.delay', { ms: 60_000 })]));
    const rootId = await begin(top, 'w');
    for (let loss = 1; loss <= 3; loss += 1) {
      expect((await top.reads.heldTrees(10)).trees).toEqual([]);
      // Recovery looks at the tree, finds nothing to do, and stores only when it is due.
      const from = await top.store.newestPlace(rootId);
      await top.store.commit([{ rootId, from, runs: [], wake: { at: time.clock.now(), unfinished: true } }]);
      top = await top.crash({ losses: [{ rootId, how: 'lost' }] });
      await quiet();
    }
    expect((await top.reads.heldTrees(10)).trees).toMatchObject([{ rootId, held: { reason: 'lost' } }]);
  });
});
