import type { JsonObject, PortValue, TriggerRule, WorkflowDefinition, WorkflowNode } from '@baton/protocol';
import type { NodeType } from '../node-type.ts';
import { type Sensitivity, sensitivityOf } from '../secrecy/sensitivity.ts';
import { type Condition, compileCondition } from './condition.ts';
import { type Expression, laterExpression } from './expression.ts';

/** A definition made ready to run: edges by node, expressions compiled, the loop found. */
export interface Plan {
  readonly digest: string;
  readonly definition: WorkflowDefinition;
  readonly nodes: ReadonlyMap<string, PlanNode>;
  readonly order: readonly PlanNode[];
  /** Nothing when nothing is marked as sensitive. */
  readonly sensitivity?: Sensitivity;
}

export interface PlanNode {
  readonly id: string;
  readonly node: WorkflowNode;
  readonly type: NodeType;
  readonly config: JsonObject;
  readonly ports: readonly Port[];
  /** Forward edges only; the loop's back edge is in `loop`. */
  readonly incoming: readonly PlanEdge[];
  readonly loop?: Loop;
  /** True when a failure of this node is someone else's trigger, so that it does not end the run. */
  readonly failureHandled: boolean;
}

export interface PlanEdge {
  readonly source: string;
  readonly rule: TriggerRule;
  readonly condition?: Condition;
}

/** A supervisor and its dispatch node, which may run in turns any number of times. */
export interface Loop {
  readonly supervisor: string;
  readonly dispatch: string;
}

export interface Port {
  readonly name: string;
  readonly value:
    | Exclude<PortValue, { type: 'expression' }>
    | { readonly type: 'expression'; readonly run: Expression };
}

export const SUPERVISOR = 'core.orchestrator.supervisor';
export const DISPATCH = 'core.dispatch';

/** The definition must have passed registration; what cannot be compiled throws. */
export function planOf(
  definition: WorkflowDefinition,
  digest: string,
  typeOf: (typeId: string) => NodeType | undefined,
): Plan {
  const loops = findLoops(definition);
  const edges = definition.edges ?? [];
  const order = definition.nodes.map((node): PlanNode => {
    const type = typeOf(node.typeId);
    if (type === undefined) throw new Error(`node type ${node.typeId} is not known`);
    const loop = loops.find((l) => l.supervisor === node.id || l.dispatch === node.id);
    const incoming = edges
      .filter((edge) => edge.targetNodeId === node.id && !isBackEdge(edge, loops))
      .map(
        (edge): PlanEdge => ({
          source: edge.sourceNodeId,
          rule: edge.triggerRule ?? 'all_success',
          ...(edge.condition && { condition: compileCondition(edge.condition) }),
        }),
      );
    const failureHandled = edges.some(
      (edge) =>
        edge.sourceNodeId === node.id &&
        (edge.triggerRule === 'any_failed' || edge.triggerRule === 'all_complete'),
    );
    return {
      id: node.id,
      node,
      type,
      config: (node.config ?? {}) as JsonObject,
      ports: Object.entries(node.inputs ?? {}).map(([name, value]) => compilePort(name, value)),
      incoming,
      ...(loop && { loop }),
      failureHandled,
    };
  });
  const nodes = new Map(order.map((entry) => [entry.id, entry]));
  const sensitivity = sensitivityOf(definition);
  return { digest, definition, order, nodes, ...(sensitivity && { sensitivity }) };
}

function compilePort(name: string, value: PortValue): Port {
  return value.type === 'expression'
    ? { name, value: { type: 'expression', run: laterExpression(value.expression) } }
    : { name, value };
}

interface EdgeEnds {
  readonly sourceNodeId: string;
  readonly targetNodeId: string;
}

/** A loop is a supervisor with an edge to a dispatch node that has an edge back to it. */
export function findLoops(definition: WorkflowDefinition): readonly Loop[] {
  const typeOf = new Map(definition.nodes.map((node) => [node.id, node.typeId]));
  const edges = definition.edges ?? [];
  return edges
    .filter(
      (edge) =>
        typeOf.get(edge.sourceNodeId) === SUPERVISOR &&
        typeOf.get(edge.targetNodeId) === DISPATCH &&
        edges.some((b) => b.sourceNodeId === edge.targetNodeId && b.targetNodeId === edge.sourceNodeId),
    )
    .map((edge) => ({ supervisor: edge.sourceNodeId, dispatch: edge.targetNodeId }));
}

export function isBackEdge(edge: EdgeEnds, loops: readonly Loop[]): boolean {
  return loops.some((l) => l.dispatch === edge.sourceNodeId && l.supervisor === edge.targetNodeId);
}
