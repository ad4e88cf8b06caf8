import { diffRuns, type StoreReads } from '@baton/engine';
import { expect, it } from 'vitest';
import { inOrder, node, remember, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { bundledMemory } from '../../packages/engine/src/bundle/bundle-memory.ts';
import { answer, begin } from './rewinding.ts';
import { CALLER, settled, startTestEngine } from './test-engine.ts';

/** Answers that take several reads, about a run that goes on between two of them. */

const NOTES = [
  remember('first', { key: 'first', content: 'one' }),
  node('gate', 'core.approvalGate', { title: 'Go on?' }),
  remember('second', { key: 'second', content: 'two' }),
];

async function waitingRuns() {
  const top = await startTestEngine();
  await top.register(workflow('notes', NOTES, { edges: inOrder(NOTES) }));
  return { top, a: await begin(top, 'notes'), b: await begin(top, 'notes') };
}

it('a difference compares the events that the compared states contain, and no later ones', async () => {
  const { top, a, b } = await waitingRuns();
  let moved: Promise<void> | undefined;
  const reads: StoreReads = {
    ...top.reads,
    async events(tenant, runId, from, limit) {
      moved ??= answer(top, a, 'gate');
      await moved;
      return top.reads.events(tenant, runId, from, limit);
    },
  };
  const diff = await diffRuns(reads, CALLER.tenant, a, b);
  expect(moved).toBeDefined();
  expect(await top.status(a)).toBe('completed');
  expect(diff).toMatchObject({ divergedAtSeq: null, eventDiffs: [], truncated: true });
  expect(await diffRuns(top.reads, CALLER.tenant, a, b)).not.toMatchObject({ divergedAtSeq: null });
});

it('a bundle holds the memory that its events tell of, and not what was remembered since', async () => {
  const { top, a } = await waitingRuns();
  const row = await top.reads.run(CALLER.tenant, a);
  if (row === undefined) return expect.unreachable('the run is stored');
  await answer(top, a, 'gate');
  await settled();
  const contents = async (cut: number) => {
    const found: string[] = [];
    for await (const scope of bundledMemory(top.reads, [{ row, part: 'tree', cut }], 1e9)) {
      for (const [, text] of JSON.stringify(scope).matchAll(/"(one|two)"/g)) found.push(String(text));
    }
    return found;
  };
  expect(await contents(row.head)).toEqual(['one']);
  expect(await contents((await top.events(a)).length)).toEqual(['one', 'two']);
});
