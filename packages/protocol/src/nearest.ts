/** The known word that is closest to the typed one, for "did you mean" messages. */
export function nearest<T extends string>(typed: string, known: readonly T[]): T | undefined {
  const ranked = known.map((word) => ({ word, distance: editDistance(typed, word) }));
  return ranked.sort((a, b) => a.distance - b.distance)[0]?.word;
}

/** How many letters have to be added, removed or replaced to turn one word into the other. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (letter === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
