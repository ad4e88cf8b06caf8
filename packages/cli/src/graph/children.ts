import {
  isJsonObject,
  type Json,
  type JsonObject,
  type WorkflowDefinition,
  type WorkflowNode,
} from '@baton/protocol';

/** A child workflow or an agent that a node hands work to. */
export interface Child {
  readonly id: string;
  /** The variables that are merged from it, such as `report ← text`. */
  readonly merges: readonly string[];
}

/**
 * The workers that a node can hand work to. A dispatch node names none itself: its supervisor chooses them, so they
 * are those of the supervisor's list or plan, and those that the dispatch node has mappings for.
 */
export function childrenOf(node: WorkflowNode, { nodes }: WorkflowDefinition): readonly Child[] {
  const config = (node.config ?? {}) as JsonObject;
  switch (node.typeId) {
    case 'core.subWorkflow':
      return typeof config.workflowId === 'string' ? [child(config.workflowId, config)] : [];
    case 'core.dispatch': {
      const supervisor = nodes.find(({ typeId }) => typeId === 'core.orchestrator.supervisor');
      const mapped = ['perWorkerInputMappings', 'perWorkerOutputMappings'].flatMap((name) =>
        Object.keys(isJsonObject(config[name]) ? config[name] : {}),
      );
      const ids = [...chosenBy(supervisor?.config ?? {}), ...mapped];
      return [...new Set(ids)].map((id) => child(id, config));
    }
    default:
      return [];
  }
}

function chosenBy(config: WorkflowNode['config'] & object): readonly string[] {
  const { workers, mockDispatchPlan, mockDecisions, mockPendingDecision } = config as JsonObject;
  const decisions = [
    ...listed(mockDispatchPlan),
    ...listed(mockDecisions),
    ...listed([mockPendingDecision ?? null]),
  ];
  return [
    ...listed(workers).flatMap(({ id }) => (typeof id === 'string' ? [id] : [])),
    ...decisions.flatMap(({ nextWorkerIds }) =>
      Array.isArray(nextWorkerIds) ? nextWorkerIds.map(String) : [],
    ),
  ];
}

/** The mapping of a worker replaces the mapping for all workers. */
function child(id: string, { outputMapping, perWorkerOutputMappings }: JsonObject): Child {
  const own = isJsonObject(perWorkerOutputMappings) ? perWorkerOutputMappings[id] : undefined;
  const mapping = own ?? outputMapping;
  const entries = isJsonObject(mapping) ? Object.entries(mapping) : [];
  return {
    id,
    merges: entries.map(([parent, from]) => (parent === from ? parent : `${parent} ← ${String(from)}`)),
  };
}

function listed(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
