import type { FieldProblem, WorkflowDefinition } from '@baton/protocol';

/**
 * Finds the loop of a supervisor and its dispatch node, and checks that it is clear which node acts on a
 * decision.
 */

export const SUPERVISOR = 'core.orchestrator.supervisor';
export const DISPATCH = 'core.dispatch';

/** A supervisor and the dispatch node that it leads to. They run alternately any number of times. */
export interface Loop {
  readonly supervisor: string;
  readonly dispatch: string;
}

interface EdgeEnds {
  readonly sourceNodeId: string;
  readonly targetNodeId: string;
}

/** A loop is a supervisor with an edge to a dispatch node, whether or not an edge leads back. */
export function findLoops(definition: WorkflowDefinition): readonly Loop[] {
  const typeOf = new Map(definition.nodes.map((node) => [node.id, node.typeId]));
  const edges = definition.edges ?? [];
  return edges
    .filter(
      ({ sourceNodeId, targetNodeId }) =>
        typeOf.get(sourceNodeId) === SUPERVISOR && typeOf.get(targetNodeId) === DISPATCH,
    )
    .map(({ sourceNodeId, targetNodeId }) => ({
      supervisor: sourceNodeId,
      dispatch: targetNodeId,
    }));
}

export function isBackEdge(edge: EdgeEnds, loops: readonly Loop[]): boolean {
  return loops.some((l) => l.dispatch === edge.sourceNodeId && l.supervisor === edge.targetNodeId);
}

/**
 * A run has one supervisor with one dispatch node. Otherwise it would be unclear which node acts on a
 * decision.
 */
export function problemWithLoops(
  definition: WorkflowDefinition,
  loops: readonly Loop[],
): FieldProblem | undefined {
  const second = definition.nodes.filter((node) => node.typeId === SUPERVISOR)[1];
  if (second !== undefined) {
    const problem = `"${second.id}" is a second supervisor; a workflow has one, and hands work to others as workers`;
    return { field: `nodes.${definition.nodes.indexOf(second)}`, problem };
  }
  if (loops.length > 1) {
    const problem = `the supervisor "${loops[0]?.supervisor}" may loop with one dispatch node only`;
    return { field: 'edges', problem };
  }
  for (const [index, edge] of (definition.edges ?? []).entries()) {
    const loop = loops.find((l) => l.dispatch === edge.targetNodeId);
    const isLoops = loop?.supervisor === edge.sourceNodeId || isBackEdge(edge, loops);
    const field = `edges.${index}`;
    if (loop && !isLoops) {
      return { field, problem: 'only the supervisor may lead to a dispatch node that loops' };
    }
    if (isLoops && (edge.condition !== undefined || (edge.triggerRule ?? 'all_success') !== 'all_success')) {
      const problem =
        'edges of a loop take no condition and no triggerRule; the decision alone says what happens';
      return { field, problem };
    }
  }
  return undefined;
}

/** A dispatch node that a supervisor reaches only through other nodes gets one decision, without a loop. */
export function indirectDispatches(definition: WorkflowDefinition): readonly string[] {
  const supervisor = definition.nodes.find(({ typeId }) => typeId === SUPERVISOR);
  if (supervisor === undefined) return [];
  const direct = new Set(findLoops(definition).map(({ dispatch }) => dispatch));
  const reached = nodesBehind(definition, supervisor.id);
  return definition.nodes
    .filter(({ id, typeId }) => typeId === DISPATCH && reached.has(id) && !direct.has(id))
    .map(
      ({ id }) =>
        `node "${id}" gets one decision only: the supervisor "${supervisor.id}" leads to it by way of other nodes; connect the two directly to have them take turns`,
    );
}

function nodesBehind({ edges = [] }: WorkflowDefinition, from: string): ReadonlySet<string> {
  const targets = new Map<string, EdgeEnds[]>();
  for (const edge of edges) {
    const leaving = targets.get(edge.sourceNodeId) ?? [];
    targets.set(edge.sourceNodeId, leaving);
    leaving.push(edge);
  }
  const reached = new Set([from]);
  // The iteration includes ids that are added during it.
  for (const id of reached) for (const { targetNodeId } of targets.get(id) ?? []) reached.add(targetNodeId);
  return reached;
}
