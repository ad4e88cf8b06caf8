import { boxLines } from './box-lines.ts';
import { widthOf, wrap } from './cells.ts';
import type { Graph, GraphEdge, GraphNode } from './graph.ts';
import { type Link, layersOf, type Place } from './layers.ts';

/** The graph as an SVG picture, with the same rows as the text. It needs no other file and follows a dark colour scheme. */

const CHARACTER = 7.3;
const LINE = 17;
const PADDING = 12;
const GAP_X = 32;
const GAP_Y = 56;
const MARGIN = 24;
const TITLE = 32;
const LANE = 110;
const PASSAGE = 12;
const WIDEST = 46;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly node?: GraphNode;
  readonly lines: readonly string[];
}

export function toSvg(graph: Graph): string {
  const layers = layersOf(graph);
  const back = graph.edges.filter((edge) => edge.back);
  const boxes = place(graph, layers.rows);
  const all = [...boxes.values()];
  const right = Math.max(...all.map(({ x, width }) => x + width));
  const width = Math.max(right + MARGIN + (back.length > 0 ? LANE : 0), MARGIN * 2 + graph.title.length * 8);
  const height = Math.max(...all.map((box) => box.y + box.height)) + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" height="${round(height)}" role="img" aria-label="${escaped(graph.title)}">`,
    STYLE,
    ARROW,
    `<text class="title" x="${MARGIN}" y="${MARGIN + 4}">${escaped(graph.title)}</text>`,
    ...layers.links.map((link) => linkPath(link, boxes)),
    ...back.map((edge) => backPath(edge, boxes, right)),
    ...all.flatMap((box) => (box.node === undefined ? [] : [drawnBox(box, box.node)])),
    '</svg>',
    '',
  ].join('\n');
}

function place(graph: Graph, rows: readonly (readonly Place[])[]): ReadonlyMap<string, Box> {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const sized = rows.map((row) =>
    row.map(({ key, node: id }) => {
      const node = id === undefined ? undefined : nodes.get(id);
      if (node === undefined) return { key, width: PASSAGE, height: 0, lines: [] };
      const lines = boxLines(node).flatMap((line) => wrap(line, WIDEST, 4));
      const width = Math.max(...lines.map(widthOf)) * CHARACTER + PADDING * 2;
      return { key, node, lines, width, height: lines.length * LINE + PADDING * 2 };
    }),
  );
  const rowWidth = (row: readonly { readonly width: number }[]) =>
    row.reduce((sum, { width }) => sum + width + GAP_X, -GAP_X);
  const widest = Math.max(...sized.map(rowWidth));
  const boxes = new Map<string, Box>();
  let y = MARGIN + TITLE;
  for (const row of sized) {
    const height = Math.max(...row.map((one) => one.height));
    let x = MARGIN + (widest - rowWidth(row)) / 2;
    for (const { key, ...box } of row) {
      boxes.set(key, { ...box, height: box.node === undefined ? height : box.height, x, y });
      x += box.width + GAP_X;
    }
    y += height + GAP_Y;
  }
  return boxes;
}

function linkPath({ from, to, last, edge }: Link, boxes: ReadonlyMap<string, Box>): string {
  const [source, target] = [boxes.get(from), boxes.get(to)];
  if (source === undefined || target === undefined) return '';
  const start = { x: source.x + source.width / 2, y: source.y + source.height };
  const end = { x: target.x + target.width / 2, y: target.y - (last ? 3 : 0) };
  const middle = (start.y + end.y) / 2;
  const through = target.node === undefined ? ` V${round(target.y + target.height)}` : '';
  const path = `M${point(start)} C${round(start.x)},${round(middle)} ${round(end.x)},${round(middle)} ${point(end)}${through}`;
  const label =
    last && edge.label !== undefined
      ? `<text class="label" x="${round(end.x + 8)}" y="${round(end.y - 14)}">${escaped(edge.label)}</text>`
      : '';
  return `<path class="edge" d="${path}"${last ? ' marker-end="url(#arrow)"' : ''}/>${label}`;
}

/** From the right side of the dispatch node to the right side of its supervisor, beside all boxes. */
function backPath(edge: GraphEdge, boxes: ReadonlyMap<string, Box>, right: number): string {
  const [source, target] = [boxes.get(`node ${edge.from}`), boxes.get(`node ${edge.to}`)];
  if (source === undefined || target === undefined) return '';
  const lane = right + 20;
  const [from, to] = [source.y + 24, target.y + 24];
  const path = `M${round(source.x + source.width)},${round(from)} H${round(lane)} V${round(to)} H${round(target.x + target.width + 3)}`;
  const label = `<text class="label" x="${round(lane + 8)}" y="${round((from + to) / 2)}">${escaped(edge.label ?? '')}</text>`;
  return `<path class="edge back" d="${path}" marker-end="url(#arrow)"/>${label}`;
}

function drawnBox({ x, y, width, height, lines }: Box, { kind }: GraphNode): string {
  const texts = lines.map((line, at) => {
    const style = at === 0 ? ' class="id"' : /^[⇒├└]/.test(line) ? ' class="part"' : '';
    const indent = line.length - line.trimStart().length;
    const left = round(x + PADDING + indent * CHARACTER);
    return `<text${style} x="${left}" y="${round(y + PADDING + LINE * (at + 0.75))}">${escaped(line.trim())}</text>`;
  });
  const box = `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="${kind === 'step' ? 10 : 3}"/>`;
  return `<g class="${kind}">${box}${texts.join('')}</g>`;
}

function point({ x, y }: { readonly x: number; readonly y: number }): string {
  return `${round(x)},${round(y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  const shown = text.replace(/\p{Cc}/gu, ' ');
  return shown.replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`);
}

const ARROW =
  '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0,0 L8,4 L0,8 z"/></marker></defs>';

const STYLE = `<style>
text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1f2933; }
.title { font-weight: bold; font-size: 13px; } .id { font-weight: bold; } .label, .part { fill: #52606d; }
rect { fill: #ffffff; stroke: #7b8794; stroke-width: 1.2; }
.person rect { fill: #fff8e1; stroke: #b7791f; stroke-width: 2; } .children rect { fill: #eef4ff; stroke: #2b6cb0; stroke-width: 2; }
.edge { fill: none; stroke: #7b8794; stroke-width: 1.3; } .back { stroke-dasharray: 5 4; } .head { fill: #7b8794; }
@media (prefers-color-scheme: dark) {
text { fill: #e4e7eb; } .label, .part { fill: #9aa5b1; } rect { fill: #1f2933; stroke: #7b8794; }
.person rect { fill: #3d2f10; } .children rect { fill: #16263d; }
}
</style>`;
