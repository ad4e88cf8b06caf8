import { describe, expect, it } from 'vitest';
import {
  declare,
  gatedBoss,
  inOrder,
  look,
  node,
  remember,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { answer, expectSameFrom, replay } from './forking.ts';
import { type Bench, CALLER, startTestEngine } from './test-engine.ts';

/** Half of a character, as a run itself may bring it about: U+FFFD is recorded for it, and the run goes on. */

const HALF = '\ud83d';
const CUT = 'variables.text.substring(0, 3)';
const line = (id: string, nodes: readonly Record<string, unknown>[], more: Record<string, unknown> = {}) =>
  workflow(id, nodes, { edges: inOrder(nodes), variables: declare({ text: 'ab😀' }), ...more });
const raw = async (top: Bench, runId: string) =>
  (await top.reads.events(CALLER.tenant, runId, 0, 1000)).join('\n');

async function expectClean(top: Bench, runId: string): Promise<void> {
  expect(await raw(top, runId)).not.toMatch(/\\ud/i);
  expect(await raw(top, runId)).toContain('\ufffd');
  expect(top.fatal).toEqual([]);
}

describe('half of a character', () => {
  it('that an expression cuts off is recorded as U+FFFD, and the log of the host says so', async () => {
    const top = await startTestEngine();
    await top.register(line('w', [node('cut', 'vendor.baton.set', { assign: { short: CUT } })]));
    const runId = await top.create('w');
    expect(await top.status(runId)).toBe('completed');
    expect((await top.of(runId, 'variable.changed'))[0]?.payload).toMatchObject({
      name: 'short',
      next: 'ab\ufffd',
    });
    expect(top.logged.join('\n')).toMatch(/half of a character was replaced.*"field":"next"/);
    await expectClean(top, runId);
  });

  it('that an effect brings back is recorded as U+FFFD, in texts and in names', async () => {
    const perform = async () => ({ kind: 'done' as const, outputs: { [`k${HALF}`]: [`cut ${HALF}`] } });
    const top = await startTestEngine({ perform });
    await top.register(line('w', [node('act', 'core.conformance.side-effect')]));
    const runId = await top.create('w');
    expect((await top.of(runId, 'node.completed'))[0]?.payload.outputs).toEqual({
      'k\ufffd': ['cut \ufffd'],
    });
    await expectClean(top, runId);
  });

  it('that an effect fails with is recorded as U+FFFD', async () => {
    const error = { code: 'broken', message: `cut ${HALF}` };
    const top = await startTestEngine({ perform: async () => ({ kind: 'failed', error, retryable: false }) });
    await top.register(line('w', [node('act', 'core.conformance.side-effect')]));
    const runId = await top.create('w');
    expect((await top.of(runId, 'run.failed'))[0]?.payload.error.message).toBe('cut \ufffd');
    await expectClean(top, runId);
  });

  it('in what a worker hands over passes the gate, and its checksum is that of what was merged', async () => {
    const top = await startTestEngine();
    const settings = { outputAttestation: { checksum: true, requireApproval: true } };
    const parent = gatedBoss(settings, { outputMapping: { report: 'short' } });
    await top.register(parent, line('writer', [node('cut', 'vendor.baton.set', { assign: { short: CUT } })]));
    const runId = await top.create('boss');
    expect(await top.status(runId)).toBe('waiting-approval');
    await answer(top, runId, 'dispatch');
    expect(await top.status(runId)).toBe('completed');
    expect((await top.of(runId, 'variable.changed')).at(-1)?.payload.next).toBe('ab\ufffd');
    await expectClean(top, runId);
  });

  it.each([
    ['text', { type: 'expression', expression: CUT }, 'ab\ufffd'],
    ['JSON', { type: 'expression', expression: `[${CUT}]` }, '["ab\ufffd"]'],
  ])('is remembered and written to files as U+FFFD: %s', async (_what, content, kept) => {
    const top = await startTestEngine();
    const nodes = [
      remember('note', { key: 'k' }, { inputs: { content } }),
      look('read', { key: 'k' }),
      node('file', 'vendor.baton.workspace.write', { path: 'a.txt' }, { inputs: { content } }),
      node('again', 'vendor.baton.workspace.read', { path: 'a.txt', into: 'file' }),
    ];
    await top.register(line('w', nodes));
    const runId = await top.create('w');
    expect(await top.status(runId)).toBe('completed');
    const found = JSON.stringify(
      (await top.of(runId, 'node.completed')).map(({ payload }) => payload.outputs),
    );
    expect(found.split(JSON.stringify(kept).slice(1, -1)).length).toBeGreaterThan(2);
    await expectClean(top, runId);
  });

  it('is replaced in the same way by a replay', async () => {
    const perform = async () => ({ kind: 'done' as const, outputs: { text: `cut ${HALF}` } });
    const top = await startTestEngine({ perform });
    const nodes = [
      node('act', 'core.conformance.side-effect'),
      node('cut', 'vendor.baton.set', { assign: { short: CUT } }),
    ];
    await top.register(line('w', nodes));
    const runId = await top.create('w');
    top.logged.length = 0;
    const twin = await replay(top, runId);
    expect(await top.types(twin)).toEqual(await top.types(runId));
  });

  it('that a person never typed stays out of the way of whole characters', async () => {
    const top = await startTestEngine();
    await top.register(line('w', [node('all', 'vendor.baton.set', { assign: { whole: 'variables.text' } })]));
    const runId = await top.create('w');
    expect((await top.of(runId, 'variable.changed'))[0]?.payload.next).toBe('ab😀');
    await expectSameFrom(top, runId);
  });
});
