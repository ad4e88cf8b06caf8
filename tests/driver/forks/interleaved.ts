import {
  boss,
  edge,
  hand,
  node,
  TERMINATE,
  worker,
  workflow,
} from '../../../packages/conformance/src/testkit/workflows.ts';
import { answer, child, effect, gate, line, quiet } from '../forking.ts';
import { type Cue, startOf, steppedBy } from '../step-by-step.ts';
import { CALLER } from '../test-engine.ts';
import type { Life, Stories, Story } from './story.ts';

/**
 * A node that has started may have to find something out before it goes on. When that ends the slice, other facts can
 * come in between, at the same time. A replay knows at once what its source had to find out, and must still let those
 * facts come first.
 */

/** Effects are done once this node has started. */
function stepwise(nodeId: string): Story['host'] {
  let start = () => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  return {
    ...steppedBy([[startOf(nodeId), () => start()]]),
    perform: async () => {
      await started;
      return { kind: 'done', outputs: {} };
    },
  };
}

const picky = workflow('picky', [node('a', 'core.noop')], {
  variables: [{ name: 'topic', type: 'string', required: true }],
});
const asking = workflow('asking', [gate('ask', { actions: ['accept', 'ask'] })]);

/** Something that happens when an event with these words is stored for the first time. */
function meanwhile(words: string, act: (life: Life, runId: string) => Promise<unknown>) {
  let happen = () => {};
  const cue: Cue = [words, () => happen()];
  return {
    host: steppedBy([cue]),
    /** The answer to the gate leads up to it. */
    async live(life: Life, runId: string) {
      let done: Promise<unknown> | undefined;
      happen = () => {
        done = act(life, runId);
      };
      await answer(life.top, runId, 'go');
      await done;
      await quiet();
    },
  };
}

export const INTERLEAVED: Stories = {
  'an outcome between the start of a sub-workflow and its refusal': () => ({
    workflows: [workflow('parent', [effect('call'), child('sub', 'picky')]), picky],
    host: stepwise('sub'),
    ends: 'failed',
    inBetween: ['sub', ['baton.effect.settled', 'node.completed']],
    otherBranches: 'Effects are done at once.',
  }),
  'an outcome between the start of a sub-workflow and its child': () => ({
    workflows: [
      workflow('parent', [effect('call'), child('sub', 'leaf')]),
      workflow('leaf', [node('a', 'core.noop')]),
    ],
    host: stepwise('sub'),
    inBetween: ['sub', ['baton.effect.settled', 'node.completed']],
    otherBranches: 'Effects are done at once.',
  }),
  ...Object.fromEntries(
    [
      ['write', { key: 'k', content: 'x' }] as const,
      ['read', { key: 'k' }] as const,
      ['forget', { key: 'k' }] as const,
    ].map(([verb, config]) => [
      `an outcome between the start of a node of shared memory and what it does: ${verb}`,
      (): Story => ({
        workflows: [workflow('notes', [effect('call'), node('note', `vendor.baton.memory.${verb}`, config)])],
        begins: { scopeId: 'desk' },
        host: stepwise('note'),
        inBetween: ['note', ['baton.effect.settled', 'node.completed']],
        otherBranches: 'Effects are done at once.',
      }),
    ]),
  ),
  'a question between the start of a sub-workflow and its refusal, which cancels the child that was asked':
    () => ({
      workflows: [
        workflow('parent', [child('first', 'asking'), gate('go'), child('sub', 'picky')], {
          edges: [edge('go', 'sub')],
        }),
        asking,
        picky,
      ],
      ...meanwhile(startOf('sub'), ({ top }, runId) =>
        answer(top, `${runId}.1`, 'ask', { action: 'ask', question: 'Why?' }),
      ),
      ends: 'failed',
      shows: ['"type":"clarification.requested"', '"type":"run.cancelled"'],
      otherBranches: 'Nobody asks in between.',
    }),
  'a child that was cancelled after the end of its worker was recorded, while it had another child': () => {
    const { nodes, edges } = boss([hand('quick'), TERMINATE]) as Record<'nodes' | 'edges', never[]>;
    return {
      workflows: [
        line('parent', [gate('go'), child('team', 'team', { onChildFailure: 'absorb' })]),
        workflow('team', [child('first', 'asking'), ...nodes], { edges }),
        worker('quick'),
        asking,
      ],
      ...meanwhile('"phase":"child.completed"', ({ top }, runId) =>
        top.execute({ kind: 'cancel-run', caller: CALLER, runId: `${runId}.1` }),
      ),
      shows: ['"type":"run.cancelled"'],
      otherBranches: 'Nobody cancels the child of the branch.',
    };
  },
  'the end of the time of a node between the start of a node of shared memory and what it does': () => {
    let ring = () => {};
    return {
      workflows: [
        workflow('parent', [
          child('first', 'asking', {}, { settings: { timeoutMs: 1000 } }),
          node('note', 'vendor.baton.memory.write', { key: 'k', content: 'x' }),
        ]),
        asking,
      ],
      begins: { scopeId: 'desk' },
      host: steppedBy([[startOf('note'), () => ring()]]),
      before: async ({ time }) => {
        ring = () => void time.move(1000);
      },
      ends: 'failed',
      inBetween: ['note', ['node.failed']],
      otherBranches: 'Their time ends elsewhere.',
    };
  },
};
