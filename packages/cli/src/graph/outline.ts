import { boxLines } from './box-lines.ts';
import { wrap } from './cells.ts';
import type { Graph, GraphEdge } from './graph.ts';

/** The graph as a list of nodes, each with the nodes that it leads to. */
export function outline({ nodes, edges }: Graph, width: number): readonly string[] {
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
