import { charge, type Json, runError, stepsForMembers, type WorkflowNode } from '@baton/protocol';
import Type from 'typebox';
import { type Bindings, compileExpression, firstLine, remembered } from '../kernel/graph/expression.ts';
import { bindingsOf } from '../kernel/graph/inputs.ts';
import type { NodeType } from '../kernel/model.ts';

/** Counted for each assignment, because each is recorded as one event. */
const STEPS_FOR_EVENT = 100;

/**
 * Sets variables from expressions, in their order. Each expression sees the variables that were set before.
 */
export const set: NodeType = {
  typeId: 'vendor.baton.set',
  config: Type.Object(
    { assign: Type.Record(Type.String({ minLength: 1 }), Type.String({ minLength: 1, maxLength: 4096 })) },
    { additionalProperties: false },
  ),
  check: (node) =>
    Object.entries(assignmentsOf(node)).flatMap(([name, text]) => {
      try {
        compiled(text);
        return [];
      } catch (problem) {
        return [
          `config.assign.${name}: ${firstLine(problem instanceof Error ? problem.message : String(problem))}`,
        ];
      }
    }),
  start: ({ node, run, inputs, meter }) => {
    const before = bindingsOf(run);
    const assignments = Object.entries(assignmentsOf(node));
    const variables: Record<string, Json> = { ...before.variables };
    const scope: Bindings = { ...before, inputs: { ...before.inputs, ...inputs }, variables };
    const assigned: Record<string, Json> = {};
    let name = assignments[0]?.[0] ?? '';
    try {
      charge(meter, stepsForMembers(Object.keys(variables).length) + assignments.length * STEPS_FOR_EVENT);
      for (const [target, text] of assignments) {
        name = target;
        const value = compiled(text)(scope, meter);
        assigned[name] = value;
        variables[name] = value;
      }
    } catch (problem) {
      const why = firstLine(problem instanceof Error ? problem.message : String(problem));
      return { do: 'fail', error: runError('expression_failed', `"${name}" of node "${node.id}": ${why}`) };
    }
    return { do: 'complete', assign: assigned, outputs: assigned };
  },
};

function assignmentsOf(node: WorkflowNode): Readonly<Record<string, string>> {
  return (node.config as { assign: Record<string, string> }).assign;
}

const compiled = remembered(compileExpression);
