import { diffLines } from 'diff';
import type { Paint } from '../output/output.ts';

/** How many lines before and after a change are shown. */
const AROUND = 3;

/** The lines in which two texts differ, with the lines that both have around them. */
export function diffText(before: string, after: string, paint: Paint): string {
  const parts = diffLines(`${before}\n`, `${after}\n`);
  return parts
    .flatMap(({ value, added, removed }, index) => {
      const lines = value.slice(0, -1).split('\n');
      if (removed) return lines.map((line) => paint.red(`- ${line}`));
      if (added) return lines.map((line) => paint.green(`+ ${line}`));
      const isNear = (at: number): boolean =>
        (index > 0 && at < AROUND) || (index < parts.length - 1 && at >= lines.length - AROUND);
      return lines.flatMap((line, at) => (isNear(at) ? [paint.dim(`  ${line}`)] : []));
    })
    .join('\n');
}
