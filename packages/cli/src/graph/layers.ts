import type { Graph, GraphEdge } from './graph.ts';

/**
 * The rows of a drawing, from top to bottom. Every edge leads from one row to the next: where an edge passes rows, it
 * has a place of its own in each of them.
 */
export interface Layers {
  readonly rows: readonly (readonly Place[])[];
  readonly links: readonly Link[];
}

/** A node, or the passage of an edge through a row. */
export interface Place {
  readonly key: string;
  readonly node?: string;
  /** The number of the edge that passes. */
  readonly passing?: number;
}

/** One piece of an edge, between two rows that follow each other. */
export interface Link {
  readonly from: string;
  readonly to: string;
  /** True for the piece that ends at a node. */
  readonly last: boolean;
  readonly edge: GraphEdge;
}

const SWEEPS = 4;

export function layersOf({ nodes, edges }: Graph): Layers {
  const ids = nodes.map(({ id }) => id);
  const forward = edges.filter(({ back }) => !back);
  const rowOf = rowNumbers(ids, forward);
  const rows: Place[][] = [];
  const put = (row: number, place: Place) => {
    rows[row] = [...(rows[row] ?? []), place];
  };
  for (const id of ids) put(rowOf.get(id) ?? 0, { key: `node ${id}`, node: id });
  const links = forward.flatMap((edge, number) => {
    const [first, end] = [rowOf.get(edge.from) ?? 0, rowOf.get(edge.to) ?? 0];
    const passages = Array.from({ length: end - first - 1 }, (_, index) => `passage ${number} ${index}`);
    passages.forEach((key, index) => {
      put(first + 1 + index, { key, passing: number });
    });
    const keys = [`node ${edge.from}`, ...passages, `node ${edge.to}`];
    return keys.slice(1).map((to, index) => ({
      from: keys[index] ?? to,
      to,
      edge,
      last: index === passages.length,
    }));
  });
  const turning = new Set(edges.filter(({ back }) => back).flatMap(({ from, to }) => [from, to]));
  const isTurning = ({ node }: Place) => node !== undefined && turning.has(node);
  return {
    // An edge that leads back is drawn beside the rows, so its ends are last in their rows.
    rows: ordered(rows, links).map((row) => [
      ...row.filter((one) => !isTurning(one)),
      ...row.filter(isTurning),
    ]),
    links,
  };
}

/** The row of a node is one below the lowest node that leads to it. */
function rowNumbers(ids: readonly string[], edges: readonly GraphEdge[]): ReadonlyMap<string, number> {
  const rowOf = new Map(ids.map((id) => [id, 0]));
  const waiting = new Map(ids.map((id) => [id, 0]));
  for (const { to } of edges) waiting.set(to, (waiting.get(to) ?? 0) + 1);
  const free = ids.filter((id) => waiting.get(id) === 0);
  // The iteration includes the ids that are added during it.
  for (const id of free) {
    for (const { to } of edges.filter(({ from }) => from === id)) {
      rowOf.set(to, Math.max(rowOf.get(to) ?? 0, (rowOf.get(id) ?? 0) + 1));
      const left = (waiting.get(to) ?? 0) - 1;
      waiting.set(to, left);
      if (left === 0) free.push(to);
    }
  }
  return rowOf;
}

/** Moves each place towards the middle of the places that it is linked to, which removes most crossings. */
function ordered(given: readonly (readonly Place[])[], links: readonly Link[]): Layers['rows'] {
  const rows = given.map((row) => [...row]);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const down = sweep % 2 === 0;
    const numbers = rows.map((_, index) => (down ? index : rows.length - 1 - index)).slice(1);
    for (const number of numbers) {
      const row = rows[number] ?? [];
      const beside = new Map((rows[down ? number - 1 : number + 1] ?? []).map(({ key }, at) => [key, at]));
      const middle = new Map(row.map((place, at) => [place.key, middleOf(place, at, beside, links, down)]));
      row.sort((one, other) => (middle.get(one.key) ?? 0) - (middle.get(other.key) ?? 0));
    }
  }
  return rows;
}

function middleOf(
  { key }: Place,
  at: number,
  beside: ReadonlyMap<string, number>,
  links: readonly Link[],
  down: boolean,
): number {
  const linked = links.flatMap((link) => {
    const [own, other] = down ? [link.to, link.from] : [link.from, link.to];
    const place = own === key ? beside.get(other) : undefined;
    return place === undefined ? [] : [place];
  });
  return linked.length === 0 ? at : linked.reduce((sum, place) => sum + place, 0) / linked.length;
}
