import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { WorkflowDefinition } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { widthOf } from './cells.ts';
import { drawText } from './draw-text.ts';
import { graphOf } from './graph.ts';
import { toMermaid } from './mermaid.ts';
import { toSvg } from './svg.ts';

const EXAMPLES = fileURLToPath(new URL('../../../../examples', import.meta.url));
const files = readdirSync(EXAMPLES, { recursive: true })
  .map(String)
  .filter((name) => /^[^/]+\.json$|\/workflow\.json$/.test(name));
const examples = files.map((name) => {
  const definition = JSON.parse(readFileSync(`${EXAMPLES}/${name}`, 'utf8')) as WorkflowDefinition;
  return [definition.id, definition] as const;
});

describe('the example', () => {
  it.each(examples)('%s is drawn as text and as Mermaid', async (id, definition) => {
    const graph = graphOf(definition);
    for (const width of [80, 200]) {
      const drawn = drawText(graph, width);
      expect(Math.max(...drawn.split('\n').map(widthOf))).toBeLessThanOrEqual(width);
      await expect(`${drawn}\n`).toMatchFileSnapshot(`drawn/${id}.${width}.txt`);
    }
    await expect(toMermaid(graph)).toMatchFileSnapshot(`drawn/${id}.mermaid`);
  });

  it.each(examples)('%s is drawn as SVG, without boxes that touch', async (id, definition) => {
    const svg = toSvg(graphOf(definition));
    const boxes = [
      ...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g),
    ].map(([, ...numbers]) => numbers.map(Number) as [number, number, number, number]);
    expect(boxes).toHaveLength(definition.nodes.length);
    const [, width, height] = /width="([\d.]+)" height="([\d.]+)" role/.exec(svg)!.map(Number);
    for (const [at, [x, y, w, h]] of boxes.entries()) {
      expect(x + w).toBeLessThan(width!);
      expect(y + h).toBeLessThan(height!);
      for (const [x2, y2, w2, h2] of boxes.slice(at + 1)) {
        expect(x + w < x2 || x2 + w2 < x || y + h < y2 || y2 + h2 < y).toBe(true);
      }
    }
    expect(svg.match(/marker-end/g) ?? []).toHaveLength(definition.edges!.length);
    if (id === 'vetted-report') await expect(svg).toMatchFileSnapshot(`drawn/${id}.svg`);
  });
});

/** The edges that a drawing shows: each line is followed from the box that it leaves to the arrows at its ends. */
function edgesShown(drawing: string): readonly string[] {
  const cells = drawing.split('\n').map((line) => [...line]);
  const at = (x: number, y: number) => cells[y]?.[x] ?? ' ';
  const boxAt = (x: number, y: number) => {
    let left = x;
    while (!'╭┏╔╰┗╚'.includes(at(left, y))) left -= 1;
    let top = y;
    while (!'╭┏╔'.includes(at(left, top))) top -= 1;
    return /n\d+/.exec(cells[top + 1]!.slice(left).join(''))![0];
  };
  const found: string[] = [];
  cells.forEach((row, y) => {
    row.forEach((cell, x) => {
      if (!'┬┯╤'.includes(cell) || !/[╰┗╚]/.test(row.slice(0, x).join('')) || !'─━═'.includes(at(x - 1, y)))
        return;
      if (!isLowerBorder(row, x)) return;
      for (const [tx, ty] of ends(x, y)) found.push(`${boxAt(x, y)}→${boxAt(tx, ty + 1)}`);
    });
  });
  return found.sort();

  function isLowerBorder(row: readonly string[], x: number): boolean {
    let left = x;
    while ('─━═┬┯╤'.includes(row[left] ?? '')) left -= 1;
    return '╰┗╚'.includes(row[left] ?? ' ');
  }

  function ends(x: number, y: number): [number, number][] {
    const arrows: [number, number][] = [];
    const seen = new Set<string>();
    const go = (px: number, py: number, dx: number, dy: number): void => {
      const [nx, ny] = [px + dx, py + dy];
      const key = `${nx} ${ny} ${dx} ${dy}`;
      if (seen.has(key)) return;
      seen.add(key);
      const cell = at(nx, ny);
      if (cell === '▼') return void arrows.push([nx, ny]);
      // An upright line passes over a level one.
      const arms = cell === '│' ? [[dx, dy] as const] : (ARMS[cell] ?? []);
      for (const [ax, ay] of arms) if (ax !== -dx || ay !== -dy) go(nx, ny, ax, ay);
    };
    go(x, y, 0, 1);
    return arrows;
  }
}

const [U, D, L, R] = [[0, -1] as const, [0, 1] as const, [-1, 0] as const, [1, 0] as const];
const ARMS: Record<string, (readonly [number, number])[]> = {
  '─': [L, R],
  '┌': [D, R],
  '┐': [D, L],
  '└': [U, R],
  '┘': [U, L],
  '├': [U, D, R],
  '┤': [U, D, L],
  '┬': [D, L, R],
  '┴': [U, L, R],
  '┼': [U, D, L, R],
};

const TYPES = ['vendor.baton.set', 'core.approvalGate', 'core.subWorkflow'];

const graphs = fc.integer({ min: 1, max: 9 }).chain((count) =>
  fc.record({
    types: fc.array(fc.constantFrom(...TYPES), { minLength: count, maxLength: count }),
    names: fc.array(fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }), {
      minLength: count,
      maxLength: count,
    }),
    pairs: fc.uniqueArray(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), {
      maxLength: 14,
      selector: ([a, b]) => `${Math.min(a, b)} ${Math.max(a, b)}`,
    }),
    labels: fc.array(fc.constantFrom(undefined, 'a', 'a label that is long, and then some more'), {
      minLength: 14,
      maxLength: 14,
    }),
  }),
);

describe('any workflow', () => {
  it('is drawn so that its lines show its edges, in the width of the terminal', () => {
    let boxed = 0;
    fc.assert(
      fc.property(graphs, ({ types, names, pairs, labels }) => {
        const edges = pairs
          .filter(([one, other]) => one !== other)
          .map(([one, other], at) => ({
            sourceNodeId: `n${Math.min(one, other)}`,
            targetNodeId: `n${Math.max(one, other)}`,
            label: labels[at],
          }));
        const nodes = types.map((typeId, at) => ({ id: `n${at}`, typeId, name: plain(names[at]!) }));
        const drawn = drawText(graphOf({ id: 'any', nodes, edges } as WorkflowDefinition), 120);
        expect(Math.max(...drawn.split('\n').map(widthOf))).toBeLessThanOrEqual(120);
        if (!/[╭┏╔]/.test(drawn)) return;
        boxed += 1;
        const wanted = edges
          .map(({ sourceNodeId, targetNodeId }) => `${sourceNodeId}→${targetNodeId}`)
          .sort();
        expect(edgesShown(drawn)).toEqual(wanted);
      }),
      { numRuns: 120, seed: 17 },
    );
    expect(boxed).toBeGreaterThan(80);
  });

  /** Without wide characters, which take two columns and one character, and without the signs of the drawing. */
  function plain(name: string): string {
    return (
      [...name].filter((sign) => /^[\p{L}\p{N} ]$/u.test(sign) && widthOf(sign) === 1).join('') || 'name'
    );
  }

  it('is a list where its boxes do not fit', () => {
    const nodes = ['start', ...'abcdefgh'].map((id) => ({ id, typeId: 'core.noop' }));
    const edges = nodes
      .slice(1)
      .map(({ id }) => ({ sourceNodeId: 'start', targetNodeId: id, label: `to ${id}` }));
    const graph = graphOf({ id: 'wide', nodes, edges } as WorkflowDefinition);
    expect(drawText(graph, 80)).toContain('start · noop\n    → a  (to a)\n    → b  (to b)');
    expect(drawText(graph, 200)).toContain('╭');
  });

  it('is drawn without the controls of a terminal that its names hold, and escaped in the other forms', () => {
    const node = { id: 'a', typeId: 'core.noop', name: '\x1b[2J<b>"&#\n汉字' };
    const graph = graphOf({ id: 'odd', nodes: [node] } as unknown as WorkflowDefinition);
    const [, , , , name] = drawText(graph, 80).split('\n');
    expect(name).toBe('│  [2J<b>"&# 汉字 │');
    expect(toMermaid(graph)).toContain('#60;b#62;#34;#38;#35;<br/>汉字"');
    expect(toSvg(graph)).toContain('[2J&#60;b&#62;&#34;&#38;# 汉字</text>');
  });

  it('is drawn also when it has cycles that a host would refuse', () => {
    const nodes = ['a', 'b', 'c'].map((id) => ({ id, typeId: 'core.noop' }));
    const edges = [
      { sourceNodeId: 'a', targetNodeId: 'b' },
      { sourceNodeId: 'b', targetNodeId: 'c' },
      { sourceNodeId: 'c', targetNodeId: 'a' },
    ];
    const drawn = drawText(graphOf({ id: 'cycle', nodes, edges } as WorkflowDefinition), 80);
    expect(drawn).toMatch(/a · noop │◀─┐\n(?:.*\n)+.*│ a cycle\n(?:.*\n)+.*c · noop │──┘/);
  });
});
