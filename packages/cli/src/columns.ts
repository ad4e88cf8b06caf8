import { printableLine } from './output/printable.ts';
import { padTo, textWidth } from './output/text-width.ts';

/** Formats rows as lines with aligned columns, without spaces at the end of a line. A cell has no colours. */
export function columns(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map(printableLine));
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => textWidth(row[column] ?? ''))),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => padTo(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
