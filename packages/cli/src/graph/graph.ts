import type { WorkflowDefinition, WorkflowEdge, WorkflowNode } from '@baton/protocol';
import { type Child, childrenOf } from './children.ts';
import { edgeLabel } from './edge-label.ts';
import { gateStages, type Stage } from './gate-stages.ts';
import { detailsOf } from './node-details.ts';
import { withoutCycles } from './without-cycles.ts';

/** A workflow as it is drawn: the texts of its nodes and edges, without a layout. */
export interface Graph {
  readonly title: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** `person`: somebody is asked. `children`: work is handed to child runs. `step`: all others. */
export type Kind = 'person' | 'children' | 'step';

export interface GraphNode {
  readonly id: string;
  readonly kind: Kind;
  readonly title: string;
  readonly details: readonly string[];
  readonly children: readonly Child[];
  /** The stages of the merge gate before a result is merged, or of a critic before a result is used. */
  readonly stages: readonly Stage[];
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
  /** Leads back, mostly from a dispatch node to its supervisor for the next turn. */
  readonly back: boolean;
}

const SUPERVISOR = 'core.orchestrator.supervisor';
const DISPATCH = 'core.dispatch';
const ASKING = ['core.approvalGate', 'core.clarificationGate', 'core.interrupt'];
const HANDING = [DISPATCH, 'core.subWorkflow'];

const TYPE_WORDS: Readonly<Record<string, string>> = {
  [SUPERVISOR]: 'supervisor',
  [DISPATCH]: 'dispatch',
  'core.subWorkflow': 'child workflow',
  'core.agent': 'agent',
  'core.approvalGate': 'approval',
  'core.clarificationGate': 'clarification',
  'core.interrupt': 'interrupt',
  'core.delay': 'delay',
  'vendor.baton.set': 'set',
};

export function graphOf(definition: WorkflowDefinition): Graph {
  const { id, name, version, nodes, edges = [] } = definition;
  const typeOf = new Map(nodes.map((node) => [node.id, node.typeId]));
  const known = edges.filter(({ sourceNodeId, targetNodeId }) =>
    [sourceNodeId, targetNodeId].every((end) => typeOf.has(end)),
  );
  const turns = (edge: WorkflowEdge) =>
    typeOf.get(edge.sourceNodeId) === DISPATCH && typeOf.get(edge.targetNodeId) === SUPERVISOR;
  return {
    title: [id, name === id ? undefined : name, version && `version ${version}`].filter(Boolean).join(' · '),
    nodes: nodes.map((node) => nodeOf(node, definition)),
    edges: edgesOf(
      nodes.map((node) => node.id),
      known.map((edge) => ({ ...endsOf(edge), label: edgeLabel(edge), turns: turns(edge) })),
    ),
  };
}

function endsOf({ sourceNodeId, targetNodeId }: WorkflowEdge) {
  return { from: sourceNodeId, to: targetNodeId };
}

interface KnownEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly turns: boolean;
}

/** A definition that is not registered yet may have cycles that a host refuses. They are shown too. */
function edgesOf(ids: readonly string[], edges: readonly KnownEdge[]): readonly GraphEdge[] {
  const forward = new Set(
    withoutCycles(
      ids,
      edges.filter(({ turns }) => !turns),
    ),
  );
  return edges.map(({ turns, label: given, ...edge }, at) => {
    const back = !forward.has(edges[at] as KnownEdge);
    const label = given !== '' || !back ? given : turns ? 'next turn' : 'a cycle';
    return { ...edge, back, ...(label !== '' && { label }) };
  });
}

function nodeOf(node: WorkflowNode, definition: WorkflowDefinition): GraphNode {
  const { id, typeId, name, disabled } = node;
  const type = TYPE_WORDS[typeId] ?? typeId.replace(/^(?:core|vendor\.baton)\./, '');
  const title = `${id} · ${type}${disabled === true ? ' (disabled)' : ''}`;
  return {
    id,
    kind: ASKING.includes(typeId) ? 'person' : HANDING.includes(typeId) ? 'children' : 'step',
    title,
    details: [...(name === undefined || name === id ? [] : [name]), ...detailsOf(node)],
    children: childrenOf(node, definition),
    stages: gateStages(node),
  };
}
