import { type JsonObject, problemWith, type RunErrorCode, runError, wellFormed } from '@baton/protocol';
import type { TSchema } from 'typebox';
import { failNode, viewOf } from '../../kernel/execute.ts';
import type { PlanNode } from '../../kernel/graph/plan.ts';
import { catchUp } from '../../kernel/memory/shared-scope.ts';
import type { NodeType } from '../../kernel/model.ts';
import type { WorkingRun } from '../../kernel/working-run.ts';

/** What a node of memory or of the workspace was asked: from its inputs, or else from its config, checked in the same way. */

export const LONGEST_KEY = 512;
export const MOST_TAGS = 32;
export const LONGEST_TAG = 256;

interface Asked<Fields> {
  readonly node: PlanNode;
  readonly fields: Fields;
}

/**
 * A node that does one thing with the run's memory. It is asked again until it has happened: `act` answers false
 * where the run has to know something first.
 */
export function memoryNode<Fields>(
  typeId: string,
  schema: TSchema & { readonly properties: Readonly<Record<string, unknown>> },
  act: (working: WorkingRun, node: PlanNode, fields: Fields) => boolean,
): NodeType {
  const proceed = (working: WorkingRun, nodeId: string): boolean => {
    const memory = catchUp(working);
    if (memory !== 'current') return memory === 'moved';
    const asked = fieldsOf<Fields>(working, nodeId, schema);
    return asked === undefined || act(working, asked.node, asked.fields);
  };
  return { typeId, config: schema, start: () => ({ do: 'act', act: proceed }), proceed };
}

/** Nothing when the node cannot go on; then it has failed, and says why. */
export function fieldsOf<Fields>(
  working: WorkingRun,
  nodeId: string,
  schema: TSchema & { readonly properties: Readonly<Record<string, unknown>> },
  code: RunErrorCode = 'memory_invalid',
): Asked<Fields> | undefined {
  const node = working.plan.nodes.get(nodeId);
  if (node === undefined) return undefined;
  const view = viewOf(working, node, working.run.nodes[nodeId]?.execution ?? 1);
  if ('error' in view) {
    failNode(working, node, view.error);
    return undefined;
  }
  // Settled before any of it is written as JSON, where half of a character would hide behind its escape.
  const fields = wellFormed(given(Object.keys(schema.properties), view.inputs, view.config));
  const problem = problemWith(schema, fields);
  if (problem === undefined) return { node, fields: fields as Fields };
  refuse(working, node, `${problem.field} ${problem.problem}`, problem.field, code);
  return undefined;
}

export function refuse(
  working: WorkingRun,
  node: PlanNode,
  problem: string,
  field: string,
  code: RunErrorCode = 'memory_invalid',
): void {
  failNode(working, node, runError(code, `Node "${node.id}": ${problem}`, { field }), false);
}

/** Null is how an input says that it has no value; only content may be null. */
function given(names: readonly string[], inputs: JsonObject, config: JsonObject): JsonObject {
  const fields: Record<string, JsonObject[string]> = {};
  for (const name of names) {
    const value = inputs[name] ?? config[name] ?? (name === 'content' ? inputs[name] : undefined);
    if (value !== undefined && (value !== null || name === 'content')) fields[name] = value;
  }
  return fields;
}
