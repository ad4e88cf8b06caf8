import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { BatonError } from './errors.ts';
import { CreateRun, ForkRun } from './schemas/run.ts';
import { WorkflowDefinition } from './schemas/workflow.ts';
import { invalid, parse, problemWith } from './validate.ts';

const workflow = (node: object) => ({ id: 'w', nodes: [{ id: 'a', typeId: 'core.noop', ...node }] });

function thrownBy(action: () => unknown): BatonError {
  try {
    action();
  } catch (error) {
    if (error instanceof BatonError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('problemWith', () => {
  it('finds nothing wrong with a valid value', () => {
    expect(problemWith(CreateRun, { workflowId: 'hello', inputs: { name: 'Ada' } })).toBeUndefined();
  });

  it.each([
    ['a missing field', ForkRun, {}, 'mode', 'is required'],
    ['an unknown field', CreateRun, { workflowId: 'w', input: {} }, 'input', 'is not a known field'],
    ['a wrong type', CreateRun, { workflowId: 7 }, 'workflowId', 'must be a string'],
    [
      'text that is too short',
      CreateRun,
      { workflowId: '' },
      'workflowId',
      'must NOT have fewer than 1 characters',
    ],
    [
      'a field of a nested object',
      CreateRun,
      { workflowId: 'w', configurable: { recursionLimit: 0 } },
      'configurable.recursionLimit',
      'must be >= 1',
    ],
    ['an item of a list', CreateRun, { workflowId: 'w', tags: ['a', 1] }, 'tags.1', 'must be a string'],
    ['a body that is no object', CreateRun, [], '', 'must be an object'],
    [
      'an unknown field of a node',
      WorkflowDefinition,
      workflow({ configs: {} }),
      'nodes.0.configs',
      'is not a known field',
    ],
    [
      'a node without a type',
      WorkflowDefinition,
      { id: 'w', nodes: [{ id: 'a' }] },
      'nodes.0.typeId',
      'is required',
    ],
    [
      'a port without its value',
      WorkflowDefinition,
      workflow({ inputs: { x: { type: 'static' } } }),
      'nodes.0.inputs.x.value',
      'is required',
    ],
    [
      'an unknown choice',
      WorkflowDefinition,
      { ...workflow({}), status: 'live' },
      'status',
      'must be one of active, inactive, draft, archived',
    ],
    [
      'an unknown trigger rule',
      WorkflowDefinition,
      { ...workflow({}), edges: [{ sourceNodeId: 'a', targetNodeId: 'a', triggerRule: 'always' }] },
      'edges.0.triggerRule',
      'must be one of all_success, any_success, all_complete, none_failed, any_failed',
    ],
  ])('names the field of %s', (_, schema, value, field, problem) => {
    expect(problemWith(schema, value)).toEqual({ field, problem });
  });

  it('names the kind of a port when it is none of the known ones', () => {
    const problem = problemWith(WorkflowDefinition, workflow({ inputs: { x: { type: 'magic' } } }));
    expect(problem?.field).toMatch(/^nodes\.0\.inputs\.x/);
  });

  it('reads a schema of another origin too', () => {
    expect(problemWith({ type: 'object', required: ['team'] }, {})).toEqual({
      field: 'team',
      problem: 'is required',
    });
  });
});

describe('parse', () => {
  it('returns the value itself', () => {
    const body = { workflowId: 'w' };
    expect(parse(CreateRun, body, 'The request')).toBe(body);
  });

  it('throws a validation error that names the field in its message and its details', () => {
    const error = thrownBy(() => parse(CreateRun, { workflowId: 'w', tags: [''] }, 'The request'));
    expect(error.code).toBe('validation_error');
    expect(error.message).toBe('The request: tags.0 must NOT have fewer than 1 characters');
    expect(error.details).toMatchObject({ field: 'tags.0' });
  });

  it('names what is wrong as a whole when no field is to blame', () => {
    expect(thrownBy(() => parse(Type.Object({}), 'text', 'The body')).message).toBe(
      'The body must be an object',
    );
  });
});

it('adds what else the reader should know to the details', () => {
  const error = invalid(
    'The workflow',
    { field: 'nodes.0', problem: 'needs it' },
    { requiredCapability: 'x' },
  );
  expect(error.body()).toEqual({
    error: 'validation_error',
    message: 'The workflow: nodes.0 needs it',
    details: { field: 'nodes.0', problem: 'needs it', requiredCapability: 'x' },
  });
});
