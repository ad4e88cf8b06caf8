import { describe, expect, it } from 'vitest';
import {
  boss,
  edge,
  hand,
  node,
  TERMINATE,
  worker,
  workflow,
} from '../../packages/engine/src/testkit/workflows.ts';
import { answer, child, effect, expectSameFrom, gate, line, start } from './forking.ts';
import { startOf, stepByStep } from './step-by-step.ts';
import { type Bench, CALLER, handClock } from './test-engine.ts';

/**
 * A node that has started may have to find something out before it goes on. When that ends the slice, other facts can
 * come in between, at the same time. A replay knows at once what its source had to find out, and must still let those
 * facts come first.
 */

/** Effects are done once this node has started. */
function stepwise(nodeId: string): Promise<Bench> {
  let start = () => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  return stepByStep([[startOf(nodeId), () => start()]], {
    perform: async () => {
      await started;
      return { kind: 'done', outputs: {} };
    },
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

type Config = Record<string, unknown>;

describe('a replay does the same where something happened to a child', () => {
  const asking = workflow('asking', [gate('ask', { actions: ['accept', 'ask'] })]);

  it('between the start of a sub-workflow and its refusal, which cancels the child', async () => {
    let askAbout = () => {};
    const top = await stepByStep([[startOf('sub'), () => askAbout()]]);
    await top.register(
      workflow('parent', [child('first', 'asking'), gate('go'), child('sub', 'picky')], {
        edges: [edge('go', 'sub')],
      }),
      asking,
      picky,
    );
    const source = await start(top, 'parent');
    let asked: Promise<void> | undefined;
    askAbout = () => {
      asked = answer(top, `${source}.1`, 'ask', { action: 'ask', question: 'Why?' });
    };
    await answer(top, source, 'go');
    await asked;
    expect(await top.types(`${source}.1`)).toEqual([
      'run.started',
      'node.started',
      'interrupt.requested',
      'node.suspended',
      'clarification.requested',
      'node.cancelled',
      'run.cancelled',
    ]);
    expect(await top.status(source)).toBe('failed');
    await expectSameFrom(top, source);
  });

  it('whose node ran out of time between the start of a node of shared memory and what it does', async () => {
    const time = handClock();
    const top = await stepByStep([[startOf('note'), () => void time.move(1000)]], { clock: time.clock });
    const first = child('first', 'asking', {}, { settings: { timeoutMs: 1000 } });
    const note = node('note', 'vendor.baton.memory.write', { key: 'k', content: 'x' });
    await top.register(workflow('parent', [first, note]), asking);
    const source = await start(top, 'parent', { scopeId: 'desk' });
    expect(await between(top, source, 'note')).toEqual(['node.failed']);
    await expectSameFrom(top, source);
  });

  it('that was cancelled after the end of its worker was recorded, while it had another child', async () => {
    let cancel = () => {};
    const top = await stepByStep([['"phase":"child.completed"', () => cancel()]]);
    const { nodes, edges } = boss([hand('quick'), TERMINATE]) as Record<'nodes' | 'edges', Config[]>;
    await top.register(
      line('parent', [gate('go'), child('team', 'team', { onChildFailure: 'absorb' })]),
      workflow('team', [child('first', 'asking'), ...nodes], { edges }),
      worker('quick'),
      asking,
    );
    const source = await start(top, 'parent');
    let cancelled: Promise<unknown> | undefined;
    cancel = () => {
      cancelled = top.execute({ kind: 'cancel-run', caller: CALLER, runId: `${source}.1` });
    };
    await answer(top, source, 'go');
    expect(await cancelled).toMatchObject({ ok: true });
    expect((await top.types(`${source}.1`)).slice(-4)).toEqual([
      'core.workflowChain.event',
      'node.cancelled',
      'node.cancelled',
      'run.cancelled',
    ]);
    expect(await top.status(source)).toBe('completed');
    await expectSameFrom(top, source);
  });
});
