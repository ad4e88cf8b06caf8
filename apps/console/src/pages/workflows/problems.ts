import { BatonError, type WorkflowCheck } from '@baton/client';
import type { DrawableGraph } from '../../graph/layout.ts';
import type { EditorProblem } from '../../ui/editor/create-editor.ts';
import type { Path } from '../../ui/editor/loose-json.ts';

/** "nodes.0.config.delayMs" as a path: `['nodes', 0, 'config', 'delayMs']`. */
export function pathOf(field: string): Path {
  if (field === '') return [];
  return field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** The problem for which the host has refused a definition. Another error is none of the definition. */
export function problemsOfRefusal(error: unknown): readonly EditorProblem[] {
  if (!(error instanceof BatonError) || error.details === undefined) return [];
  const { field, problem } = error.details;
  if (typeof field !== 'string') return [];
  return [
    {
      path: pathOf(field),
      message: typeof problem === 'string' ? problem : error.message,
      severity: 'error',
    },
  ];
}

/** Problems by the node at which they are shown. A problem with an edge is shown at the node where the edge begins. */
export function problemsByNode(
  problems: readonly EditorProblem[],
  { nodes, edges = [] }: DrawableGraph,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { path, message } of problems) {
    const [part, index] = path;
    if (typeof index !== 'number') continue;
    const nodeId =
      part === 'nodes' ? nodes[index]?.id : part === 'edges' ? edges[index]?.sourceNodeId : undefined;
    if (nodeId !== undefined) found.set(nodeId, [...(found.get(nodeId) ?? []), message]);
  }
  return found;
}

/** The place of a problem for people: the id of the node or the ends of the edge, and the field in it. */
export function placeText({ path }: EditorProblem, { nodes, edges = [] }: DrawableGraph): string {
  const [part, index, ...rest] = path;
  const field = rest.length === 0 ? '' : `, ${rest.join('.')}`;
  if (part === 'nodes' && typeof index === 'number') {
    return `Node ${nodes[index]?.id ?? index + 1}${field}`;
  }
  if (part === 'edges' && typeof index === 'number') {
    const edge = edges[index];
    return edge === undefined
      ? `Edge ${index + 1}${field}`
      : `Edge from ${edge.sourceNodeId} to ${edge.targetNodeId}${field}`;
  }
  return path.length === 0 ? 'The definition' : path.join('.');
}

/** What a check of the host found, as the editor shows it. */
export function problemsOf({ problems, warnings }: WorkflowCheck): readonly EditorProblem[] {
  return [
    ...problems.map(({ path = '', message }) => ({
      path: pathOf(path),
      message,
      severity: 'error' as const,
    })),
    ...warnings.map((message) => ({ path: [], message, severity: 'warning' as const })),
  ];
}
