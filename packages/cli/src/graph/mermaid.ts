import type { Graph, GraphNode } from './graph.ts';

/** The graph as a flowchart of Mermaid, which GitHub and many editors draw. Children and merge gates are nodes of their own. */
export function toMermaid({ title, nodes, edges }: Graph): string {
  const names = new Map(nodes.map(({ id }, number) => [id, `n${number}`]));
  const nameOf = (id: string) => names.get(id) ?? '';
  return [
    '---',
    `title: ${JSON.stringify(title)}`,
    '---',
    'flowchart TD',
    ...nodes.map((node) => `  ${nameOf(node.id)}${shape(node)}`),
    ...edges.map(({ from, to, label, back }) => {
      const text = label === undefined ? '' : `|${quoted(label)}|`;
      return `  ${nameOf(from)} ${back ? '-.->' : '-->'}${text} ${nameOf(to)}`;
    }),
    ...nodes.flatMap((node) => handoff(node, nameOf(node.id))),
    '',
  ].join('\n');
}

function shape({ kind, title, details }: GraphNode): string {
  const text = quoted([title, ...details].join('\n'));
  if (kind === 'person') return `{{${text}}}`;
  return kind === 'children' ? `[[${text}]]` : `(${text})`;
}

/** The children of a node, and the stages that their results pass before they come back. */
function handoff({ children, stages }: GraphNode, name: string): readonly string[] {
  const stageNames = stages.map((_, number) => `${name}s${number}`);
  const childNames = children.map((_, number) => `${name}c${number}`);
  const gate =
    stages.length === 0
      ? []
      : [
          `  subgraph ${name}g [${children.length > 0 ? '"merge gate"' : '"critic"'}]`,
          ...stages.map((stage, at) => `    ${stageNames[at]}[${quoted(`${stage.name}: ${stage.text}`)}]`),
          ...stageNames.slice(1).map((to, at) => `    ${stageNames[at]} --> ${to}`),
          '  end',
        ];
  const end = stageNames.at(-1);
  const merged = children.flatMap(({ merges }) => merges).join(', ');
  const merge = merged === '' ? '' : `|${quoted(`merge: ${merged}`)}|`;
  return [
    ...children.map(({ id }, at) => `  ${childNames[at]}[[${quoted(id)}]]`),
    ...gate,
    ...(children.length > 0 ? childNames : stageNames.slice(0, 1)).map((next) => `  ${name} -.-> ${next}`),
    ...childNames.map((child) =>
      end === undefined ? `  ${child} -.->${merge} ${name}` : `  ${child} -.-> ${stageNames[0]}`,
    ),
    ...(end === undefined ? [] : [`  ${end} -.->${merge} ${name}`]),
  ];
}

/** Mermaid reads entities of HTML with `#` in place of `&`. */
function quoted(text: string): string {
  const safe = text.replace(/[#&<>"`]/g, (sign) => `#${sign.codePointAt(0)};`).replace(/\s*\n\s*/g, '<br/>');
  return `"${safe}"`;
}
