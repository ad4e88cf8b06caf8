import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../../protocol/src/index.ts';
import { evolve } from './evolve.ts';
import { grown, withMember } from './grow.ts';

// Only functions that are compiled after this call may ask V8 for the hidden class of an object.
setFlagsFromString('--allow-natives-syntax');
const share = runInThisContext('(one, other) => %HaveSameMap(one, other)') as (
  one: object,
  other: object,
) => boolean;

interface State {
  readonly first: number;
  readonly second: string;
  readonly later?: number;
}

const state = (first: number): State => ({ ...{ first, second: 'x' } });

describe('a copy with a new member', () => {
  it('shares its hidden class with other such copies', () => {
    expect(share(grown(state(1), { later: 2 }), grown(state(3), { later: 4 }))).toBe(true);
    expect(share(withMember({ a: 1, b: 2 }, 'c', 3), withMember({ a: 4, b: 5 }, 'c', 6))).toBe(true);
  });

  it('has the class that its own copies have', () => {
    const copy = grown(state(1), { later: 2 });
    expect(share(copy, { ...copy })).toBe(true);
  });

  it('keeps the order of the members, and takes the name of an accessor for a name', () => {
    expect(Object.entries(withMember({ b: 1, a: 2 }, 'c', 3))).toEqual([
      ['b', 1],
      ['a', 2],
      ['c', 3],
    ]);
    expect(Object.keys(withMember(withMember({ b: 1 }, '__proto__', 2), 'c', 3))).toEqual([
      'b',
      '__proto__',
      'c',
    ]);
  });

  it('leaves the state as it was', () => {
    const before = state(1);
    expect(grown(before, { first: 2, later: 3 })).toEqual({ first: 2, second: 'x', later: 3 });
    expect(before).toEqual({ first: 1, second: 'x' });
  });
});

describe('the states of two runs of one workflow', () => {
  const run = (runId: string) => {
    const recorded = [
      [
        'run.started',
        { owner: { tenant: 't', principal: 'p' }, workflowId: 'w', inputs: {}, variables: {}, limits: {} },
      ],
      ['node.started', { nodeId: 'lead', typeId: 'core.orchestrator.supervisor', attempt: 1 }],
      ['runOrchestrator.decided', { agentId: 'a', decision: { kind: 'terminate' }, iteration: 1 }],
      ['node.completed', { nodeId: 'lead', outputs: {} }],
      ['node.started', { nodeId: 'hand-out', typeId: 'core.dispatch', attempt: 1 }],
      ['node.failed', { nodeId: 'hand-out', error: { code: 'x', message: 'x' } }],
      ['run.completed', {}],
    ] as const;
    return recorded.map(
      ([type, payload], sequence) =>
        ({
          eventId: `${runId}:${sequence}`,
          runId,
          sequence,
          timestamp: '',
          type,
          payload,
        }) as unknown as RunEvent,
    );
  };

  /** The states after each event. */
  const statesOf = (runId: string) => {
    let state: ReturnType<typeof evolve> | undefined;
    return run(runId).map((event) => {
      state = evolve(state, event, 1);
      return { after: event.type, state };
    });
  };

  it('share their hidden classes after every event', () => {
    // V8 changes the classes of the first objects when it has seen which values their members have.
    for (let warmUp = 0; warmUp < 10; warmUp += 1) statesOf(`earlier-${warmUp}`);
    const others = statesOf('other');
    const apart = statesOf('one').flatMap(({ after, state }, index) => {
      const other = others[index]?.state as typeof state;
      return [
        ...(share(state, other) ? [] : [`${after}: the run`]),
        ...(share(state.nodes, other.nodes) ? [] : [`${after}: its nodes`]),
        ...Object.entries(state.nodes)
          .filter(([nodeId, node]) => !share(node, other.nodes[nodeId] as object))
          .map(([nodeId]) => `${after}: ${nodeId}`),
      ];
    });
    expect(apart).toEqual([]);
  });
});
