import { describe, expect, it } from 'vitest';
import { problemWith } from '../validate.ts';
import { completeDefinition, TRIGGER_RULES, WorkflowDefinition } from './workflow.ts';

const smallest: WorkflowDefinition = { id: 'w', nodes: [{ id: 'a', typeId: 'core.noop' }] };

describe('completeDefinition', () => {
  it('fills in everything but id and nodes', () => {
    expect(completeDefinition(smallest)).toEqual({
      id: 'w',
      name: 'w',
      version: '1.0',
      nodes: [{ id: 'a', typeId: 'core.noop', name: 'a', position: { x: 0, y: 0 }, config: {}, inputs: {} }],
      edges: [],
      triggers: [{ id: 'manual', type: 'manual', enabled: true }],
      variables: [],
      metadata: {},
      settings: {},
    });
  });

  it('leaves a complete definition as it is', () => {
    const complete = completeDefinition(smallest);
    expect(completeDefinition(complete)).toEqual(complete);
  });

  it('numbers edges that have no id, and keeps the ids of the others', () => {
    const edges = [
      { sourceNodeId: 'a', targetNodeId: 'b' },
      { id: 'mine', sourceNodeId: 'a', targetNodeId: 'c' },
      { sourceNodeId: 'b', targetNodeId: 'c' },
    ];
    expect(completeDefinition({ ...smallest, edges }).edges?.map((edge) => edge.id)).toEqual([
      'e1',
      'mine',
      'e3',
    ]);
  });

  it('keeps what the author wrote', () => {
    const given: WorkflowDefinition = {
      ...smallest,
      name: 'Mine',
      version: '3.1',
      description: 'why',
      triggers: [],
      variables: [{ name: 'x', type: 'number', defaultValue: 0 }],
      settings: { timeout: 5 },
    };
    expect(completeDefinition(given)).toMatchObject(given);
  });

  it('does not touch its argument', () => {
    const before = JSON.stringify(smallest);
    completeDefinition(smallest);
    expect(JSON.stringify(smallest)).toBe(before);
  });

  it('gives a valid definition', () => {
    expect(problemWith(WorkflowDefinition, completeDefinition(smallest))).toBeUndefined();
  });
});

describe('WorkflowDefinition', () => {
  it.each(TRIGGER_RULES)('knows the trigger rule %s', (triggerRule) => {
    const edges = [{ sourceNodeId: 'a', targetNodeId: 'b', triggerRule }];
    expect(problemWith(WorkflowDefinition, { ...smallest, edges })).toBeUndefined();
  });

  it.each([
    { type: 'static', value: null },
    { type: 'variable', variableName: 'x', optional: true },
    { type: 'connection', nodeId: 'a', outputKey: 'out' },
    { type: 'expression', expression: 'variables.x + 1' },
  ])('takes an input of the form %j', (port) => {
    const nodes = [{ id: 'a', typeId: 'core.noop', inputs: { in: port } }];
    expect(problemWith(WorkflowDefinition, { id: 'w', nodes })).toBeUndefined();
  });

  it.each([
    ['id', { ...smallest, id: 'Has Spaces' }],
    ['id', { ...smallest, id: 'w'.repeat(129) }],
    ['nodes', { id: 'w', nodes: [] }],
    ['nodes.0.typeId', { id: 'w', nodes: [{ id: 'a', typeId: 'Core.noop' }] }],
    ['variables.0.type', { ...smallest, variables: [{ name: 'x', type: 'date' }] }],
    ['channels.log.reducer', { ...smallest, channels: { log: { reducer: 'sum' } } }],
    ['createdAt', { ...smallest, createdAt: 'yesterday' }],
    ['steps', { ...smallest, steps: [] }],
  ])('refuses a wrong %s', (field, definition) => {
    expect(problemWith(WorkflowDefinition, definition)).toMatchObject({ field });
  });
});
