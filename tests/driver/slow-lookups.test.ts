import { describe, expect, it } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { child, expectSameFrom, start } from './forking.ts';
import { handClock, startTestEngine } from './test-engine.ts';

/** A step that has to know several things is taken, even where the search for one of them uses up the share of a tree. */

const SPENT_AT_ONCE = { events: 1, bytes: 1, ms: 0 };

describe('a tree gets on with a share that is spent at once', () => {
  it.each([
    ['a child with shared memory', child('step', 'leaf')],
    ['a search in shared memory', node('step', 'vendor.baton.memory.read', { search: 'text' })],
    ['a file of the workspace', node('step', 'vendor.baton.workspace.write', { path: 'a.md', content: 'x' })],
  ])('through %s', async (_what, step) => {
    const top = await startTestEngine({ share: SPENT_AT_ONCE, clock: handClock().clock });
    const note = node('note', 'vendor.baton.memory.write', { key: 'k', content: 'text' });
    await top.register(
      workflow('first', [note]),
      workflow('second', [step]),
      workflow('leaf', [node('a', 'core.noop')]),
    );
    await start(top, 'first', { scopeId: 'desk' });
    const runId = await start(top, 'second', { scopeId: 'desk' });
    expect(await top.status(runId)).toBe('completed');
    await expectSameFrom(top, runId);
  });
});
