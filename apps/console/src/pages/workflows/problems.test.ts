import { BatonError } from '@baton/client';
import { expect, it } from 'vitest';
import { pathOf, placeText, problemsByNode, problemsOf, problemsOfRefusal } from './problems.ts';

const GRAPH = {
  nodes: [
    { id: 'a', typeId: 'core.noop' },
    { id: 'b', typeId: 'core.nop' },
  ],
  edges: [{ sourceNodeId: 'a', targetNodeId: 'c' }],
};
const problem = (field: string) => ({ path: pathOf(field), message: field, severity: 'error' as const });

it('reads the field of a refusal, and takes other errors for no problem of the definition', () => {
  const refusal = new BatonError('validation_error', 'workflow: nodes.1.typeId is wrong', {
    details: { field: 'nodes.1.typeId', problem: 'is wrong' },
  });
  expect(problemsOfRefusal(refusal)).toEqual([
    { path: ['nodes', 1, 'typeId'], message: 'is wrong', severity: 'error' },
  ]);
  expect(problemsOfRefusal(new BatonError('forbidden', 'No.'))).toEqual([]);
  expect(problemsOfRefusal(new Error('No.'))).toEqual([]);
});

it('shows a problem at its node, and that of an edge at the node where the edge begins', () => {
  const problems = ['nodes.1.typeId', 'nodes.1.config', 'edges.0.targetNodeId', 'variables.0', ''].map(
    problem,
  );
  expect([...problemsByNode(problems, GRAPH)]).toEqual([
    ['b', ['nodes.1.typeId', 'nodes.1.config']],
    ['a', ['edges.0.targetNodeId']],
  ]);
});

it.each([
  ['nodes.1.typeId', 'Node b, typeId'],
  ['nodes.7', 'Node 8'],
  ['edges.0.targetNodeId', 'Edge from a to c, targetNodeId'],
  ['edges.3', 'Edge 4'],
  ['variables.0.name', 'variables.0.name'],
  ['', 'The definition'],
])('names the place %j as %j', (field, text) => {
  expect(placeText(problem(field), GRAPH)).toBe(text);
});

it('marks the problems of a verdict as errors and its remarks as warnings', () => {
  const verdict = {
    valid: false,
    problems: [{ path: 'nodes.0.id', message: 'Is used twice.' }, { message: 'Is too large.' }],
    warnings: ['A variable is not declared.'],
  };
  expect(problemsOf(verdict)).toEqual([
    { path: ['nodes', 0, 'id'], message: 'Is used twice.', severity: 'error' },
    { path: [], message: 'Is too large.', severity: 'error' },
    { path: [], message: 'A variable is not declared.', severity: 'warning' },
  ]);
});
