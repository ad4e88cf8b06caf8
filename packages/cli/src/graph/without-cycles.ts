interface Ends {
  readonly from: string;
  readonly to: string;
}

/** Edges of which none leads back. All edges of a registered workflow but that of its loop are such edges. */
export function withoutCycles<E extends Ends>(ids: readonly string[], edges: readonly E[]): readonly E[] {
  const outgoing = new Map<string, Ends[]>();
  for (const edge of edges) outgoing.set(edge.from, [...(outgoing.get(edge.from) ?? []), edge]);
  const done = new Set<string>();
  const kept = new Set<Ends>();
  for (const start of ids) visit(start, outgoing, done, kept);
  return edges.filter((edge) => kept.has(edge));
}

/** Depth first, without recursion: an edge to a node that is on the path closes a cycle and is not kept. */
function visit(
  start: string,
  outgoing: ReadonlyMap<string, readonly Ends[]>,
  done: Set<string>,
  kept: Set<Ends>,
): void {
  const path: { readonly id: string; next: number }[] = [];
  const onPath = new Set<string>();
  const enter = (id: string) => {
    path.push({ id, next: 0 });
    onPath.add(id);
  };
  if (!done.has(start)) enter(start);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const edge = outgoing.get(top.id)?.[top.next];
    top.next += 1;
    if (edge === undefined) {
      done.add(top.id);
      onPath.delete(top.id);
      path.pop();
      continue;
    }
    if (onPath.has(edge.to)) continue;
    kept.add(edge);
    if (!done.has(edge.to)) enter(edge.to);
  }
}
