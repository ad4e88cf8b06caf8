import type { WorkflowDefinition } from '@baton/client';
import type { NodeTrack, RunTrack } from '../model/tree.ts';

/** The parts of the drawing of a run: the nodes of its workflow, and cards for the runs that they started. */

export type GraphPart =
  | {
      readonly kind: 'node';
      readonly id: string;
      readonly run: RunTrack;
      readonly nodeId: string;
      readonly name: string;
      readonly typeId: string;
      readonly childCount: number;
    }
  | { readonly kind: 'run'; readonly id: string; readonly run: RunTrack; readonly childCount: number }
  /** Stands for the runs that have no card. */
  | { readonly kind: 'more'; readonly id: string; readonly owner: string; readonly hidden: number };

export interface GraphLine {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** A line of the workflow, or work that is handed to a run. */
  readonly kind: 'flow' | 'handoff' | 'critic';
  readonly label?: string;
}

export interface RunGraph {
  readonly parts: readonly GraphPart[];
  readonly lines: readonly GraphLine[];
}

/** What a person has opened or closed, and how many cards are shown where. */
export interface Opened {
  /** The parts whose cards are shown or hidden other than at first. */
  readonly toggled: ReadonlySet<string>;
  readonly shown: ReadonlyMap<string, number>;
}

/** So many runs are shown at once at first. Nodes with more of them are closed. */
export const FIRST_SHOWN = 4;

export function graphOf(definition: WorkflowDefinition | undefined, run: RunTrack, opened: Opened): RunGraph {
  const parts: GraphPart[] = [];
  const lines: GraphLine[] = [];
  const declared = definition?.nodes ?? [];
  const known = new Set(declared.map(({ id }) => id));
  // Nodes that another version of the workflow has.
  const others = [...run.nodes.values()].filter(({ nodeId }) => !known.has(nodeId));
  const all = [
    ...declared.map(({ id, name, typeId }) => ({ nodeId: id, name: name ?? id, typeId })),
    ...others.map(({ nodeId, typeId }) => ({ nodeId, name: nodeId, typeId })),
  ];
  for (const { nodeId, name, typeId } of all) {
    const id = partId(run, nodeId);
    const children = childrenOf(run.nodes.get(nodeId));
    parts.push({ kind: 'node', id, run, nodeId, name, typeId, childCount: children.length });
    addChildren(id, children, opened, parts, lines);
  }
  for (const [index, edge] of (definition?.edges ?? []).entries()) {
    lines.push({
      id: edge.id ?? `edge-${index}`,
      from: partId(run, edge.sourceNodeId),
      to: partId(run, edge.targetNodeId),
      kind: 'flow',
      ...(edge.label !== undefined && { label: edge.label }),
    });
  }
  return { parts, lines };
}

function partId({ runId }: RunTrack, nodeId: string): string {
  return `${runId}#${nodeId}`;
}

function childrenOf(node: NodeTrack | undefined): readonly RunTrack[] {
  return node?.children ?? [];
}

/** Whether the cards of a part are shown: few are at first, many are not. */
export function isOpen(id: string, childCount: number, { toggled }: Opened): boolean {
  return childCount > 0 && childCount <= FIRST_SHOWN !== toggled.has(id);
}

function addChildren(
  owner: string,
  children: readonly RunTrack[],
  opened: Opened,
  parts: GraphPart[],
  lines: GraphLine[],
): void {
  if (!isOpen(owner, children.length, opened)) return;
  const shown = opened.shown.get(owner) ?? FIRST_SHOWN;
  for (const child of children.slice(0, shown)) {
    const kind = child.role === 'critic' ? 'critic' : 'handoff';
    parts.push({ kind: 'run', id: child.runId, run: child, childCount: child.children.length });
    lines.push({ id: `to ${child.runId}`, from: owner, to: child.runId, kind });
    addChildren(child.runId, child.children, opened, parts, lines);
  }
  if (children.length > shown) {
    const id = `more ${owner}`;
    parts.push({ kind: 'more', id, owner, hidden: children.length - shown });
    lines.push({ id: `to ${id}`, from: owner, to: id, kind: 'handoff' });
  }
}
