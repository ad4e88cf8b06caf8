import { execFileSync } from 'node:child_process';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { grown, withMember } from './grow.ts';

interface State {
  readonly first: number;
  readonly second: string;
  readonly later?: number;
}

const state = (first: number): State => ({ ...{ first, second: 'x' } });

describe('a copy with a new member', () => {
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

/**
 * Hidden classes depend on everything that was done in a process before, so this is asked in a new one. It prints the
 * objects that do not share a class although they should.
 */
const COMPARISON = `
  import { evolve } from './evolve.js';
  import { grown, withMember } from './grow.js';
  const apart = [];
  const compare = (name, one, other) => { if (!%HaveSameMap(one, other)) apart.push(name); };

  const state = (first) => ({ ...{ first, second: 'x' } });
  const copy = grown(state(1), { later: 2 });
  compare('two grown copies', copy, grown(state(3), { later: 4 }));
  compare('two copies with a member', withMember({ a: 1, b: 2 }, 'c', 3), withMember({ a: 4, b: 5 }, 'c', 6));
  compare('a grown copy and its own copy', copy, { ...copy });

  const RECORDED = [
    ['run.started', { owner: { tenant: 't', principal: 'p' }, workflowId: 'w', inputs: {}, variables: {}, limits: {} }],
    ['node.started', { nodeId: 'lead', typeId: 'core.orchestrator.supervisor', attempt: 1 }],
    ['runOrchestrator.decided', { agentId: 'a', decision: { kind: 'terminate' }, iteration: 1 }],
    ['node.completed', { nodeId: 'lead', outputs: {} }],
    ['node.started', { nodeId: 'hand-out', typeId: 'core.dispatch', attempt: 1 }],
    ['node.failed', { nodeId: 'hand-out', error: { code: 'x', message: 'x' } }],
    ['run.completed', {}],
  ];
  const statesOf = (runId) => {
    let state;
    return RECORDED.map(([type, payload], sequence) => {
      state = evolve(state, { eventId: runId + ':' + sequence, runId, sequence, timestamp: '', type, payload }, 1);
      return { after: type, state };
    });
  };
  // V8 changes the classes of the first objects when it has seen which values their members have.
  for (let warmUp = 0; warmUp < 10; warmUp += 1) statesOf('earlier-' + warmUp);
  const others = statesOf('other');
  statesOf('one').forEach(({ after, state }, index) => {
    const other = others[index].state;
    compare(after + ': the run', state, other);
    compare(after + ': its nodes', state.nodes, other.nodes);
    for (const [nodeId, node] of Object.entries(state.nodes)) compare(after + ': ' + nodeId, node, other.nodes[nodeId]);
  });
  console.log(JSON.stringify(apart));
`;

it('copies, and the states of two runs of one workflow, share their hidden classes', () => {
  const cwd = fileURLToPath(new URL('../../../dist/kernel/fold', import.meta.url));
  const options = ['--allow-natives-syntax', '--input-type=module', '-e', COMPARISON];
  expect(JSON.parse(execFileSync(execPath, options, { cwd, encoding: 'utf8' }))).toEqual([]);
});
