import { describe, expect, it } from 'vitest';
import { node, workflow } from '../../packages/engine/src/testkit/workflows.ts';
import { child, effect, expectSameFrom, line, retry, start, treeOf } from './forking.ts';
import { startTestEngine } from './test-engine.ts';

/** A node that waits for a child is tried again with a new child. The child of the failed attempt is left alone. */

const DONE = { kind: 'done', outputs: {} } as const;
const BROKEN = { kind: 'failed', error: { code: 'broken', message: 'no' }, retryable: false } as const;

async function failedTree(call: ReturnType<typeof child>) {
  let breaks = true;
  const top = await startTestEngine({
    perform: async ({ nodeId }) => (breaks && nodeId === 'last' ? BROKEN : DONE),
  });
  await top.register(
    workflow('parent', [call]),
    line('work', [effect('first'), effect('last')]),
    workflow('critic', [node('judge', 'core.noop')], {
      variables: [{ name: 'verdict', type: 'string', defaultValue: 'pass' }],
    }),
  );
  const source = await start(top, 'parent');
  expect(await top.status(source)).toBe('failed');
  breaks = false;
  top.performed.length = 0;
  return { top, source };
}

describe('the retry of a node that waited for a child', () => {
  it.each([
    ['without a gate', child('call', 'work')],
    ['with a gate', child('call', 'work', {}, { settings: { verifier: { workflowId: 'critic' } } })],
  ])('performs the work once (%s)', async (_how, call) => {
    const { top, source } = await failedTree(call);
    const branch = await retry(top, source);
    expect(await top.status(branch)).toBe('completed');
    const begun = (await treeOf(top, branch)).filter((runId) => runId.startsWith(branch));
    const workers = new Set(top.performed.map(({ runId }) => runId));
    expect([...workers]).toEqual([`${branch}.2`]);
    expect(top.performed.map(({ nodeId }) => nodeId)).toEqual(['first', 'last']);
    expect(begun).not.toContain(`${branch}.1`);
  });

  it('can be replayed, and the replay performs nothing', async () => {
    const { top, source } = await failedTree(child('call', 'work'));
    const branch = await retry(top, source);
    expect(await top.status(branch)).toBe('completed');
    await expectSameFrom(top, branch, [0], [source]);
  });
});
