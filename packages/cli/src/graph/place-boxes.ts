import { boxLines } from './box-lines.ts';
import { widthOf, wrap } from './cells.ts';
import type { Graph, GraphNode } from './graph.ts';
import type { Layers, Place } from './layers.ts';

/** Where the boxes and passages of each row are, from left to right. */

/** A place with its columns. A passage has one column. */
export interface Placed extends Place {
  readonly left: number;
  readonly width: number;
  readonly box?: { readonly node: GraphNode; readonly lines: readonly string[] };
}

const GAP = 2;
const PASSAGE = 3;
const FRAME = 4;
const WIDEST = 72;
const NARROWEST = 18;
const MOST_LINES = 3;

/** Undefined when the rows do not fit into the width. */
export function placeBoxes(
  graph: Graph,
  { rows }: Layers,
  width: number,
): readonly (readonly Placed[])[] | undefined {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const sized = rows.map((row) => sizedRow(row, nodes, width));
  if (sized.some((row) => row === undefined)) return undefined;
  const fitting = sized.flatMap((row) => (row === undefined ? [] : [row]));
  const widest = Math.max(...fitting.map(rowWidth));
  let above: readonly Placed[] = [];
  return fitting.map((row) => {
    let left = Math.floor((widest - rowWidth(row)) / 2);
    const placed = row.map((place) => {
      const at = { ...place, left };
      left += place.width + GAP;
      return place.box === undefined ? clearOf(at, above) : at;
    });
    above = placed;
    return placed;
  });
}

function rowWidth(row: readonly { readonly width: number }[]): number {
  return row.reduce((sum, { width }) => sum + width + GAP, -GAP);
}

type Sized = Omit<Placed, 'left'>;

/** The widest boxes of a row are made narrower until the row fits. */
function sizedRow(
  row: readonly Place[],
  nodes: ReadonlyMap<string, GraphNode>,
  width: number,
): readonly Sized[] | undefined {
  const wanted = row.map(({ node: id }) => {
    const node = id === undefined ? undefined : nodes.get(id);
    return node && { node, width: Math.min(WIDEST, Math.max(...boxLines(node).map(widthOf)) + FRAME) };
  });
  const widths = (most: number) =>
    wanted.map((one) => ({ width: one === undefined ? PASSAGE : Math.min(one.width, most) }));
  let most = WIDEST;
  while (rowWidth(widths(most)) > width && most >= NARROWEST) most -= 1;
  if (most < NARROWEST) return undefined;
  return row.map((place, at) => {
    const one = wanted[at];
    if (one === undefined) return { ...place, width: PASSAGE };
    const own = Math.min(one.width, most);
    const lines = boxLines(one.node).flatMap((line) => wrap(line, own - FRAME, MOST_LINES));
    return { ...place, width: own, box: { node: one.node, lines } };
  });
}

/** The column of a passage is not that of another passage above it, so that their lines do not meet. */
function clearOf(place: Placed, above: readonly Placed[]): Placed {
  const passages = above.filter(({ box }) => box === undefined);
  const same = passages.find(({ passing }) => passing === place.passing);
  const taken = passages.filter((one) => one !== same).map(({ left }) => left);
  const columns = Array.from({ length: PASSAGE }, (_, at) => place.left + at);
  const free = columns.filter((column) => !taken.includes(column));
  const middle = free[Math.floor(free.length / 2)] ?? place.left;
  return { ...place, left: same !== undefined && free.includes(same.left) ? same.left : middle, width: 1 };
}
