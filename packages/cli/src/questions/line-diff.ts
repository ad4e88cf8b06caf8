import type { Paint } from '../output/paint.ts';

/** The lines in which two texts differ, with the lines that both have around them. */

interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** The longest common subsequence of lines decides which lines are the same. */
function lineDiff(before: string, after: string): readonly DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  const lengths = commonLengths(a, b);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push({ kind: 'same', text: left });
      i += 1;
      j += 1;
    } else if (
      left !== undefined &&
      (right === undefined || at(lengths, i + 1, j) >= at(lengths, i, j + 1))
    ) {
      lines.push({ kind: 'removed', text: left });
      i += 1;
    } else {
      lines.push({ kind: 'added', text: right ?? '' });
      j += 1;
    }
  }
  return lines;
}

/** For each pair of positions, how many lines the rests of both texts have in common. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly (readonly number[])[] {
  const rows: number[][] = Array.from({ length: a.length + 1 }, () =>
    new Array<number>(b.length + 1).fill(0),
  );
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = rows[i] ?? [];
      row[j] = a[i] === b[j] ? at(rows, i + 1, j + 1) + 1 : Math.max(at(rows, i + 1, j), at(rows, i, j + 1));
    }
  }
  return rows;
}

function at(rows: readonly (readonly number[])[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}

const AROUND = 3;

export function diffText(before: string, after: string, paint: Paint): string {
  const lines = lineDiff(before, after);
  const isNear = (index: number): boolean =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind !== 'same');
  return lines
    .flatMap(({ kind, text }, index) => {
      if (kind === 'removed') return [paint.red(`- ${text}`)];
      if (kind === 'added') return [paint.green(`+ ${text}`)];
      return isNear(index) ? [paint.dim(`  ${text}`)] : [];
    })
    .join('\n');
}
