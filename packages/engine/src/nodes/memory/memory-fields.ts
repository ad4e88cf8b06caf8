import { type JsonObject, problemWith, type RunErrorCode, runError, wellFormed } from '@baton/protocol';
import type { TSchema } from 'typebox';
import { failNode, viewOf } from '../../kernel/execute.ts';
import type { PlanNode } from '../../kernel/graph/plan.ts';
import { catchUp } from '../../kernel/memory/shared-scope.ts';
import type { NodeType } from '../../kernel/model.ts';
import type { WorkingRun } from '../../kernel/working-run.ts';

/** Reads and checks the fields of a memory or workspace node, from its inputs or else from its config. */

export const LONGEST_KEY = 512;
export const MOST_TAGS = 32;
export const LONGEST_TAG = 256;

interface Asked<Fields> {
  readonly node: PlanNode;
  readonly fields: Fields;
}

/**
 * A node type that reads or changes the run's memory once. `act` returns false when a look-up or a commit is
 * needed first. Then it is called again.
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
  return { typeId, config: schema, start: () => ({ do: 'proceed' }), proceed };
}

/** The fields of a node. If they are invalid, the node fails and the result is `undefined`. */
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
  // Half characters are replaced before the content is written as JSON, where they would be hidden by an
  // escape.
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

/** An input that is null counts as absent, except `content`, which may be null. */
function given(names: readonly string[], inputs: JsonObject, config: JsonObject): JsonObject {
  const fields: Record<string, JsonObject[string]> = {};
  for (const name of names) {
    const value = inputs[name] ?? config[name] ?? (name === 'content' ? inputs[name] : undefined);
    if (value !== undefined && (value !== null || name === 'content')) fields[name] = value;
  }
  return fields;
}
