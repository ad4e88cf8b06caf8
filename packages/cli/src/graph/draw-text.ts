import { type Canvas, canvas } from './canvas.ts';
import { cut } from './cells.ts';
import { gapBetween } from './draw-links.ts';
import type { Graph, GraphEdge, Kind } from './graph.ts';
import { layersOf } from './layers.ts';
import { outline } from './outline.ts';
import { type Placed, placeBoxes } from './place-boxes.ts';
import { isCrowded } from './ports.ts';

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
