import { describe, expect, it } from 'vitest';
import { node, workflow } from '../../packages/engine/src/testkit/workflows.ts';
import { child, effect, expectSameFrom, start } from './forking.ts';
import { type Bench, handClock, startTestEngine } from './test-engine.ts';

/**
 * A node that has started may have to find something out before it goes on. When that ends the slice, other facts can
 * come in between, at the same time. A replay knows at once what its source had to find out, and must still let those
 * facts come first.
 */

/** Every step is a slice of its own, and the clock stands still. Effects are done once this node has started. */
function stepwise(nodeId: string): Promise<Bench> {
  const starts = `"type":"node.started","nodeId":"${nodeId}"`;
  let start = () => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  return startTestEngine({
    share: { events: 1, bytes: 1, ms: 0 },
    clock: handClock().clock,
    perform: async () => {
      await started;
      return { kind: 'done', outputs: {} };
    },
    wrap: (store) => ({
      ...store,
      commit: (slices) => {
        const texts = slices.flatMap(({ runs }) => runs.flatMap((run) => run.events));
        if (texts.some((text) => text.includes(starts))) start();
        return store.commit(slices);
      },
    }),
  });
}

const picky = workflow('picky', [node('a', 'core.noop')], {
  variables: [{ name: 'topic', type: 'string', required: true }],
});

/** What lies between the start of a node and the next event about it. */
async function between(top: Bench, runId: string, nodeId: string): Promise<readonly string[]> {
  const events = await top.events(runId);
  const at = events.findIndex((event) => event.type === 'node.started' && event.nodeId === nodeId);
  const rest = events.slice(at + 1);
  return rest
    .slice(
      0,
      rest.findIndex((event) => event.nodeId === nodeId),
    )
    .map(({ type }) => type);
}

describe('a replay does the same where an outcome came in between', () => {
  it('the start of a sub-workflow and its refusal', async () => {
    const top = await stepwise('sub');
    await top.register(workflow('parent', [effect('call'), child('sub', 'picky')]), picky);
    const source = await start(top, 'parent');
    expect(await between(top, source, 'sub')).toEqual(['baton.effect.settled', 'node.completed']);
    await expectSameFrom(top, source);
  });

  it('the start of a sub-workflow and its child', async () => {
    const top = await stepwise('sub');
    const leaf = workflow('leaf', [node('a', 'core.noop')]);
    await top.register(workflow('parent', [effect('call'), child('sub', 'leaf')]), leaf);
    const source = await start(top, 'parent');
    expect(await between(top, source, 'sub')).toEqual(['baton.effect.settled', 'node.completed']);
    await expectSameFrom(top, source);
  });

  it.each([
    ['write', { key: 'k', content: 'x' }],
    ['read', { key: 'k' }],
    ['forget', { key: 'k' }],
  ])('the start of a node of shared memory and what it does: %s', async (verb, config) => {
    const top = await stepwise('note');
    await top.register(
      workflow('notes', [effect('call'), node('note', `vendor.baton.memory.${verb}`, config)]),
    );
    const source = await start(top, 'notes', { scopeId: 'desk' });
    expect(await between(top, source, 'note')).toEqual(['baton.effect.settled', 'node.completed']);
    await expectSameFrom(top, source);
  });
});
