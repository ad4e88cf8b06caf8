import type { WorkflowDefinition } from '@baton/protocol';

const COLUMN = 240;
const ROW = 120;

type Position = { readonly x: number; readonly y: number };

/**
 * Places for the nodes that have none: a column for each step from the first nodes, with its nodes around one axis.
 * An edge to a node that was added before its source, such as the next turn of a supervisor, is ignored.
 */
export function placed({ nodes, edges = [] }: WorkflowDefinition): WorkflowDefinition['nodes'] {
  const columns = new Map<string, number>();
  for (const { id } of nodes) {
    const before = edges.filter(({ targetNodeId }) => targetNodeId === id);
    const steps = before.map(({ sourceNodeId }) => columns.get(sourceNodeId) ?? -1);
    columns.set(id, Math.max(-1, ...steps) + 1);
  }
  const inColumn = (column: number) => nodes.filter(({ id }) => columns.get(id) === column);
  const placeOf = (id: string): Position => {
    const column = columns.get(id) ?? 0;
    const beside = inColumn(column);
    const row = beside.findIndex((node) => node.id === id) - (beside.length - 1) / 2;
    return { x: column * COLUMN, y: row * ROW };
  };
  return nodes.map((node) => ({ ...node, position: node.position ?? placeOf(node.id) }));
}
