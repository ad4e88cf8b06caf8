import type { GraphNode } from './graph.ts';

/** The lines in the box of a node: its title, what it does, its children, and the stages before a result is merged. */
export function boxLines({ title, details, children, stages }: GraphNode): readonly string[] {
  const merges = children.filter((child) => child.merges.length > 0).map((child) => child.merges.join(', '));
  const tree = [
    ...stages.map(({ name, text }) => `${name}: ${text}`),
    ...(merges.length > 0 ? [`merge: ${merges.join('; ')}`] : []),
  ];
  return [
    title,
    ...details,
    ...children.map(({ id }) => `⇒ ${id}`),
    ...tree.map((line, at) => `${at === tree.length - 1 ? '└' : '├'} ${line}`),
  ];
}
