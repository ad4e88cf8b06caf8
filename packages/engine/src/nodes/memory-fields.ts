import { type JsonObject, problemWith, type RunErrorCode, runError, wellFormed } from '@baton/protocol';
import type { TSchema } from 'typebox';
import { failNode, viewOf } from '../kernel/execute.ts';
import type { PlanNode } from '../kernel/graph/plan.ts';
import { catchUp } from '../kernel/memory/shared-scope.ts';
import type { NodeType } from '../kernel/node-type.ts';
import type { Turn } from '../kernel/turn.ts';

/** What a node of memory or of the workspace was asked: from its inputs, or else from its config, checked in the same way. */

export const LONGEST_KEY = 512;
export const MOST_TAGS = 32;
export const LONGEST_TAG = 256;

export interface Asked<Fields> {
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
  act: (turn: Turn, node: PlanNode, fields: Fields) => boolean,
): NodeType {
  const proceed = (turn: Turn, nodeId: string): boolean => {
    const memory = catchUp(turn);
    if (memory !== 'current') return memory === 'moved';
    const asked = fieldsOf<Fields>(turn, nodeId, schema);
    return asked === undefined || act(turn, asked.node, asked.fields);
  };
  return { typeId, config: schema, start: () => ({ do: 'act', act: proceed }), proceed };
}

/** Nothing when the node cannot go on; then it has failed, and says why. */
export function fieldsOf<Fields>(
  turn: Turn,
  nodeId: string,
  schema: TSchema & { readonly properties: Readonly<Record<string, unknown>> },
  code: RunErrorCode = 'memory_invalid',
): Asked<Fields> | undefined {
  const node = turn.plan.nodes.get(nodeId);
  if (node === undefined) return undefined;
  const view = viewOf(turn, node, turn.run.nodes[nodeId]?.execution ?? 1);
  if ('error' in view) {
    failNode(turn, node, view.error);
    return undefined;
  }
  // Settled before any of it is written as JSON, where half of a character would hide behind its escape.
  const fields = wellFormed(given(Object.keys(schema.properties), view.inputs, view.config));
  const problem = problemWith(schema, fields);
  if (problem === undefined) return { node, fields: fields as Fields };
  refuse(turn, node, `${problem.field} ${problem.problem}`, problem.field, code);
  return undefined;
}

export function refuse(
  turn: Turn,
  node: PlanNode,
  problem: string,
  field: string,
  code: RunErrorCode = 'memory_invalid',
): void {
  failNode(turn, node, runError(code, `Node "${node.id}": ${problem}`, { field }), false);
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
