import { boxLines } from './box-lines.ts';
import { type Canvas, canvas } from './canvas.ts';
import { cut, widthOf, wrap } from './cells.ts';
import type { Graph, GraphEdge, Kind } from './graph.ts';
import { type Link, layersOf } from './layers.ts';
import { type Placed, placeBoxes } from './place-boxes.ts';
import { isCrowded, type Ported, portsOf } from './ports.ts';

/** More nodes or edges than this are easier to read as a list. */
const MOST_NODES = 60;
const MOST_EDGES = 150;
/** The columns beside the rows for the edge that leads back, with its label. */
const LANE = 14;

interface Frame {
  readonly corners: readonly [topLeft: string, topRight: string, bottomLeft: string, bottomRight: string];
  readonly flat: string;
  readonly upright: string;
  readonly leaving: string;
}

const FRAMES: Readonly<Record<Kind, Frame>> = {
  step: { corners: ['╭', '╮', '╰', '╯'], flat: '─', upright: '│', leaving: '┬' },
  children: { corners: ['┏', '┓', '┗', '┛'], flat: '━', upright: '┃', leaving: '┯' },
  person: { corners: ['╔', '╗', '╚', '╝'], flat: '═', upright: '║', leaving: '╤' },
};

/** The graph as text of at most so many columns: boxes in rows from top to bottom, or a list where they do not fit. */
export function drawText(graph: Graph, width: number): string {
  const drawn = isLarge(graph) ? undefined : drawBoxes(graph, width);
  return [cut(graph.title, width), '', ...(drawn ?? outline(graph, width))].join('\n');
}

function isLarge({ nodes, edges }: Graph): boolean {
  return nodes.length > MOST_NODES || edges.length > MOST_EDGES;
}

function drawBoxes(graph: Graph, width: number): readonly string[] | undefined {
  const layers = layersOf(graph);
  const back = graph.edges.filter((edge) => edge.back);
  const rows = placeBoxes(graph, layers, width - (back.length > 0 ? LANE : 0));
  if (rows === undefined || isCrowded(rows, layers.links)) return undefined;
  const sheet = canvas();
  const notes: string[] = [];
  const tops = new Map<string, number>();
  let y = 0;
  rows.forEach((row, number) => {
    const height = Math.max(...row.map(heightOf));
    for (const place of row) {
      tops.set(place.key, y);
      drawPlace(sheet, place, y);
    }
    const below = rows[number + 1];
    y += height;
    if (below === undefined) return;
    const links = layers.links.filter(({ from }) => row.some(({ key }) => key === from));
    const gap = gapBetween(row, below, links);
    for (const place of row) extend(sheet, place, y - height, y, gap.leaving(place.key));
    gap.draw(sheet, y, notes);
    y += gap.height;
  });
  back.forEach((edge, number) => {
    const isDrawn = number === 0 && drawBack(sheet, edge, rows, tops);
    if (!isDrawn)
      notes.push(`↺ ${edge.from} → ${edge.to}${edge.label === undefined ? '' : `: ${edge.label}`}`);
  });
  return [...sheet.toLines(), ...(notes.length > 0 ? ['', ...notes.map((note) => cut(note, width))] : [])];
}

function heightOf({ box }: Placed): number {
  return box === undefined ? 1 : box.lines.length + 2;
}

function drawPlace(sheet: Canvas, { left, width, box }: Placed, top: number): void {
  if (box === undefined) return;
  const { corners, flat, upright } = FRAMES[box.node.kind];
  const edge = flat.repeat(width - 2);
  sheet.write(left, top, `${corners[0]}${edge}${corners[1]}`);
  box.lines.forEach((line, at) => {
    sheet.write(left, top + 1 + at, upright);
    sheet.write(left + 2, top + 1 + at, line);
    sheet.write(left + width - 1, top + 1 + at, upright);
  });
  sheet.write(left, top + box.lines.length + 1, `${corners[2]}${edge}${corners[3]}`);
}

/** Continues the line of a source from its lower edge, or of a passage from its top, to the end of the row. */
function extend(sheet: Canvas, place: Placed, top: number, end: number, column: number | undefined): void {
  if (column === undefined) return;
  const { box } = place;
  const from = box === undefined ? top : top + box.lines.length + 1;
  if (box !== undefined) sheet.write(column, from, FRAMES[box.node.kind].leaving);
  sheet.line({ x: column, y: from }, { x: column, y: end }, place.key);
}

/** Draws the edge beside the rows, unless another box of its rows is in its way. */
function drawBack(
  sheet: Canvas,
  edge: GraphEdge,
  rows: readonly (readonly Placed[])[],
  tops: ReadonlyMap<string, number>,
): boolean {
  const endOf = (id: string) => rows.map((row) => row.at(-1)).find((last) => last?.node === id);
  const [source, target] = [endOf(edge.from), endOf(edge.to)];
  if (source === undefined || target === undefined || source === target) return false;
  const lane = Math.max(...rows.flat().map(({ left, width }) => left + width)) + 2;
  const [from, to] = [(tops.get(source.key) ?? 0) + 1, (tops.get(target.key) ?? 0) + 1];
  const net = `back ${edge.from}`;
  sheet.line({ x: source.left + source.width, y: from }, { x: lane, y: from }, net);
  sheet.line({ x: lane, y: from }, { x: lane, y: to }, net);
  sheet.line({ x: lane, y: to }, { x: target.left + target.width, y: to }, net);
  sheet.write(target.left + target.width, to, '◀');
  sheet.write(lane + 2, Math.floor((from + to) / 2), cut(edge.label ?? '', LANE - 4));
  return true;
}

/** Draws the links between two rows. */

interface Gap {
  /** The rows of cells that the links need. */
  readonly height: number;
  /** The column in which the links of a place of the upper row leave it. */
  leaving(key: string): number | undefined;
  /** Draws the links from this row of cells on. Labels without room are added to the notes. */
  draw(sheet: Canvas, top: number, notes: string[]): void;
}

/** A horizontal line of the links of one source. */
interface Track {
  readonly source: string;
  readonly first: number;
  readonly last: number;
  readonly level: number;
}

function gapBetween(upper: readonly Placed[], lower: readonly Placed[], links: readonly Link[]): Gap {
  const ported = portsOf(upper, lower, links);
  const tracks = tracksOf(ported);
  const levels = Math.max(0, ...[...tracks.values()].map(({ level }) => level + 1));
  const labels = ported.some(({ link }) => link.last && link.edge.label !== undefined) ? 1 : 0;
  const isEmpty = links.length === 0;
  const height = isEmpty ? 1 : levels + labels + 1;
  return {
    height,
    leaving: (key) => ported.find(({ link }) => link.from === key)?.from,
    draw(sheet, top, notes) {
      const bottom = top + height - 1;
      for (const { link, from, to } of ported) {
        const track = tracks.get(link.from);
        const level = top + (track?.level ?? 0);
        if (from === to) sheet.line({ x: from, y: top }, { x: from, y: bottom }, link.from);
        else {
          sheet.line({ x: from, y: top - 1 }, { x: from, y: level }, link.from);
          sheet.line({ x: from, y: level }, { x: to, y: level }, link.from);
          sheet.line({ x: to, y: level }, { x: to, y: bottom }, link.from);
        }
        if (link.last) sheet.write(to, bottom, '▼');
      }
      if (labels > 0) writeLabels(sheet, bottom - 1, ported, notes);
    },
  };
}

/** Links of two sources share a level where their lines do not touch. */
function tracksOf(ported: readonly Ported[]): ReadonlyMap<string, Track> {
  const tracks = new Map<string, Track>();
  for (const source of new Set(ported.map(({ link }) => link.from))) {
    const bent = ported.filter(({ link, from, to }) => link.from === source && from !== to);
    if (bent.length === 0) continue;
    const columns = bent.flatMap(({ from, to }) => [from, to]);
    const [first, last] = [Math.min(...columns), Math.max(...columns)];
    const touching = [...tracks.values()].filter(
      (other) => other.first <= last + 1 && first <= other.last + 1,
    );
    let level = 0;
    while (touching.some((other) => other.level === level)) level += 1;
    tracks.set(source, { source, first, last, level });
  }
  return tracks;
}

/** A label is written beside its line, up to the next line. A label without room becomes a number with a note. */
function writeLabels(sheet: Canvas, y: number, ported: readonly Ported[], notes: string[]): void {
  const columns = ported.map(({ to }) => to).sort((one, other) => one - other);
  for (const { link, to } of ported) {
    const { label, from, to: target } = link.edge;
    if (!link.last || label === undefined) continue;
    const next = columns.find((column) => column > to) ?? Number.POSITIVE_INFINITY;
    const room = Math.min(next - to - 3, LONGEST);
    if (widthOf(label) <= room) sheet.write(to + 2, y, label);
    else {
      notes.push(`(${notes.length + 1}) ${from} → ${target}: ${label}`);
      sheet.write(to + 1, y, cut(`(${notes.length})`, room + 1));
    }
  }
}

const LONGEST = 40;

/** The graph as a list of nodes, each with the nodes that it leads to. */
function outline({ nodes, edges }: Graph, width: number): readonly string[] {
  const leaving = new Map<string, GraphEdge[]>();
  for (const edge of edges) leaving.set(edge.from, [...(leaving.get(edge.from) ?? []), edge]);
  return nodes.flatMap((node) => {
    const [title = '', ...rest] = boxLines(node);
    const lines = [
      ...rest,
      ...(leaving.get(node.id) ?? []).map(
        ({ to, label, back }) => `${back ? '↺' : '→'} ${to}${label === undefined ? '' : `  (${label})`}`,
      ),
    ];
    return [title, ...lines.map((line) => `    ${line}`)].flatMap((line) => wrap(line, width, 3));
  });
}
