import type {
  FieldProblem,
  JsonObject,
  PortValue,
  TriggerRule,
  WorkflowDefinition,
  WorkflowEdge,
  WorkflowNode,
} from '@baton/protocol';
import type { NodeType } from '../node-type.ts';
import { type Sensitivity, sensitivityOf } from '../secrecy/sensitivity.ts';
import { tooLargeDefinition } from './bounds.ts';
import { type Condition, compileCondition } from './condition.ts';
import { type Expression, laterExpression } from './expression.ts';
import { isBackEdge, type Loop, loopsToRun } from './loops.ts';

/** A definition prepared for running: edges grouped by node, expressions ready, and the loop found. */
export interface Plan {
  readonly digest: string;
  readonly definition: WorkflowDefinition;
  readonly nodes: ReadonlyMap<string, PlanNode>;
  readonly order: readonly PlanNode[];
  /** Present when no further run may start: the definition was registered when larger ones were allowed. */
  readonly tooLarge?: FieldProblem;
  /** Absent when the definition marks no value as sensitive. */
  readonly sensitivity?: Sensitivity;
}

export interface PlanNode {
  readonly id: string;
  readonly node: WorkflowNode;
  readonly type: NodeType;
  readonly config: JsonObject;
  readonly ports: readonly Port[];
  /** Forward edges only. The back edge of a loop is in `loop`. */
  readonly incoming: readonly PlanEdge[];
  readonly loop?: Loop;
  /** True when an edge handles the failure of this node, so that the failure does not end the run. */
  readonly failureHandled: boolean;
}

export interface PlanEdge {
  readonly source: string;
  readonly rule: TriggerRule;
  readonly condition?: Condition;
}

export interface Port {
  readonly name: string;
  readonly value:
    | Exclude<PortValue, { type: 'expression' }>
    | { readonly type: 'expression'; readonly run: Expression };
}

/** The definition must have passed registration. Its expressions are compiled when they are first used. */
export function planOf(
  definition: WorkflowDefinition,
  digest: string,
  typeOf: (typeId: string) => NodeType | undefined,
): Plan {
  const loops = loopsToRun(definition);
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
  const tooLarge = tooLargeDefinition(definition);
  return {
    digest,
    definition,
    order,
    nodes,
    ...(tooLarge && { tooLarge }),
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
