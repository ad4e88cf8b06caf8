import type { JsonObject, PortValue, WorkflowDefinition, WorkflowEdge } from '@baton/protocol';
import type { NodeType, Plan, PlanEdge, PlanNode, Port } from '../model.ts';
import { sensitivityOf } from '../secrecy/sensitivity.ts';
import { compileCondition } from './condition.ts';
import { laterExpression } from './expression.ts';
import { findLoops, isBackEdge } from './loops.ts';

export type { Plan, PlanEdge, PlanNode, Port } from '../model.ts';

/** The definition must have passed registration. Its expressions are compiled when they are first used. */
export function planOf(
  definition: WorkflowDefinition,
  digest: string,
  typeOf: (typeId: string) => NodeType | undefined,
): Plan {
  const loops = findLoops(definition);
  const edges = definition.edges ?? [];
  const incomingOf = new Map<string, PlanEdge[]>();
  const handled = new Set<string>();
  for (const edge of edges) {
    if (edge.triggerRule === 'any_failed' || edge.triggerRule === 'all_complete')
      handled.add(edge.sourceNodeId);
    if (isBackEdge(edge, loops)) continue;
    const incoming = incomingOf.get(edge.targetNodeId) ?? [];
    incomingOf.set(edge.targetNodeId, incoming);
    incoming.push(planEdge(edge));
  }
  const order = definition.nodes.map((node): PlanNode => {
    const type = typeOf(node.typeId);
    if (type === undefined) throw new Error(`node type ${node.typeId} is not known`);
    const loop = loops.find((l) => l.supervisor === node.id || l.dispatch === node.id);
    return {
      id: node.id,
      node,
      type,
      config: (node.config ?? {}) as JsonObject,
      ports: Object.entries(node.inputs ?? {}).map(([name, value]) => compilePort(name, value)),
      incoming: incomingOf.get(node.id) ?? [],
      ...(loop && { loop }),
      failureHandled: handled.has(node.id),
    };
  });
  const nodes = new Map(order.map((entry) => [entry.id, entry]));
  const sensitivity = sensitivityOf(definition);
  return {
    digest,
    definition,
    order,
    nodes,
    ...(sensitivity && { sensitivity }),
  };
}

function planEdge({ sourceNodeId, triggerRule, condition }: WorkflowEdge): PlanEdge {
  return {
    source: sourceNodeId,
    rule: triggerRule ?? 'all_success',
    ...(condition && { condition: compileCondition(condition) }),
  };
}

function compilePort(name: string, value: PortValue): Port {
  return value.type === 'expression'
    ? { name, value: { type: 'expression', run: laterExpression(value.expression) } }
    : { name, value };
}
