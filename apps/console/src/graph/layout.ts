import { Graph, layout } from '@dagrejs/dagre';

/** Where the parts of a workflow are drawn. Positions are those of the upper left corner. */

export const NODE_WIDTH = 208;
export const NODE_HEIGHT = 60;

export type Direction = 'right' | 'down';

interface GraphNode {
  readonly id: string;
  readonly name?: string | undefined;
  readonly typeId: string;
}

interface GraphEdge {
  readonly id?: string | undefined;
  readonly sourceNodeId: string;
  readonly targetNodeId: string;
  readonly label?: string | undefined;
  readonly sourceOutput?: string | undefined;
  readonly condition?:
    | { readonly left?: string | undefined; readonly expression?: string | undefined }
    | undefined;
}

/** The part of a definition that is drawn. A definition that is being edited may name nodes that are not there. */
export interface DrawableGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges?: readonly GraphEdge[] | undefined;
}

interface PlacedNode {
  readonly id: string;
  readonly name: string;
  readonly typeId: string;
  readonly x: number;
  readonly y: number;
}

interface PlacedEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly label?: string;
  /** The edge leads to a node that is drawn at or before its source, such as the next turn of a supervisor. */
  readonly goesBack: boolean;
}

interface GraphLayout {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly width: number;
  readonly height: number;
}

/**
 * Places each node after the nodes before it. Edges from or to a node that is not there are left out, and of two nodes
 * with the same id only the first is drawn, so that a definition with mistakes still has a drawing.
 */
export function layoutOf(graph: DrawableGraph, direction: Direction = 'right'): GraphLayout {
  const nodes = [...new Map([...graph.nodes].reverse().map((node) => [node.id, node])).values()].reverse();
  const ids = new Set(nodes.map(({ id }) => id));
  const edges = (graph.edges ?? []).filter(
    ({ sourceNodeId, targetNodeId }) => ids.has(sourceNodeId) && ids.has(targetNodeId),
  );
  const drawing = new Graph({ multigraph: true });
  drawing.setGraph({ rankdir: direction === 'right' ? 'LR' : 'TB', nodesep: 32, ranksep: 72 });
  for (const { id } of nodes) drawing.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  edges.forEach((edge, index) => {
    drawing.setEdge(edge.sourceNodeId, edge.targetNodeId, {}, String(index));
  });
  layout(drawing);
  const placed = nodes.map(({ id, name, typeId }): PlacedNode => {
    const { x = 0, y = 0 } = drawing.node(id) as { readonly x?: number; readonly y?: number };
    return { id, name: name ?? id, typeId, x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 };
  });
  const depths = new Map(placed.map(({ id, x, y }) => [id, direction === 'right' ? x : y]));
  const depthOf = (id: string) => depths.get(id) ?? 0;
  return {
    nodes: placed,
    edges: edges.map((edge, index) => ({
      id: `${index}:${edge.id ?? ''}`,
      source: edge.sourceNodeId,
      target: edge.targetNodeId,
      ...labelOf(edge),
      goesBack: depthOf(edge.targetNodeId) <= depthOf(edge.sourceNodeId),
    })),
    width: Math.max(NODE_WIDTH, ...placed.map(({ x }) => x + NODE_WIDTH)),
    height: Math.max(NODE_HEIGHT, ...placed.map(({ y }) => y + NODE_HEIGHT)),
  };
}

const MOST_CHARACTERS = 40;

/** The label that the author wrote, or the condition of the edge. */
function labelOf({ label, condition, sourceOutput }: GraphEdge): { readonly label?: string } {
  const text = label ?? condition?.expression ?? condition?.left ?? sourceOutput;
  if (text === undefined) return {};
  return { label: text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text };
}
