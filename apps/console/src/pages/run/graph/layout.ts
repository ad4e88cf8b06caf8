import { Graph, layout } from '@dagrejs/dagre';
import type { GraphPart, RunGraph } from './graph-parts.ts';

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A larger graph would take too long to arrange, so its parts are placed in rows in the order of the definition. */
const MOST_ARRANGED = 120;
const PER_ROW = 10;
const GAP = 40;
const NODE_GAP = 20;

/** The most nodes that a card of a run lists. */
export const MOST_LISTED = 4;

function sizeOf(part: GraphPart): { readonly width: number; readonly height: number } {
  switch (part.kind) {
    case 'node':
      return { width: 210, height: part.childCount > 0 ? 100 : 74 };
    case 'run': {
      const listed = Math.min(MOST_LISTED + 1, Math.max(1, part.run.nodes.size));
      return { width: 220, height: 58 + listed * 20 + (part.childCount > 0 ? 26 : 0) };
    }
    case 'more':
      return { width: 220, height: 44 };
  }
}

/** Where each part is drawn. */
export function placesOf(graph: RunGraph): ReadonlyMap<string, Place> {
  return graph.parts.length > MOST_ARRANGED ? inRows(graph) : arranged(graph);
}

function arranged({ parts, lines }: RunGraph): ReadonlyMap<string, Place> {
  const drawn = new Graph({ multigraph: true });
  drawn.setGraph({ rankdir: 'LR', nodesep: NODE_GAP, ranksep: 64, marginx: 8, marginy: 8 });
  drawn.setDefaultEdgeLabel(() => ({}));
  const ids = new Set(parts.map(({ id }) => id));
  for (const part of parts) drawn.setNode(part.id, { ...sizeOf(part) });
  for (const { id, from, to } of lines) if (ids.has(from) && ids.has(to)) drawn.setEdge(from, to, {}, id);
  layout(drawn);
  const places = new Map<string, Place>();
  for (const part of parts) {
    const size = sizeOf(part);
    const { x = 0, y = 0 } = drawn.node(part.id) as { readonly x?: number; readonly y?: number };
    places.set(part.id, { ...size, x: x - size.width / 2, y: y - size.height / 2 });
  }
  keepOrder({ parts, lines }, places);
  return places;
}

/** The runs of a node are drawn from top to bottom in the order in which they began. */
function keepOrder({ lines }: RunGraph, places: Map<string, Place>): void {
  const columns = new Map<string, string[]>();
  for (const { from, to, kind } of lines) {
    const x = places.get(to)?.x;
    if (kind !== 'flow' && x !== undefined) {
      const key = `${x} ${from}`;
      columns.set(key, [...(columns.get(key) ?? []), to]);
    }
  }
  for (const ids of columns.values()) {
    const tops = ids.map((id) => places.get(id)?.y ?? 0).sort((a, b) => a - b);
    let least = Number.NEGATIVE_INFINITY;
    for (const [index, id] of ids.entries()) {
      const place = places.get(id);
      if (place === undefined) continue;
      const y = Math.max(least, tops[index] ?? 0);
      places.set(id, { ...place, y });
      least = y + place.height + NODE_GAP;
    }
  }
}

function inRows({ parts }: RunGraph): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  let y = 0;
  for (let start = 0; start < parts.length; start += PER_ROW) {
    const row = parts.slice(start, start + PER_ROW);
    for (const [index, part] of row.entries()) {
      places.set(part.id, { ...sizeOf(part), x: index * (220 + GAP), y });
    }
    y += Math.max(...row.map((part) => sizeOf(part).height)) + GAP;
  }
  return places;
}
