/** Formats the results of all measures as one table of plain text. */

const HEADINGS = ['', 'this host', 'the limit', 'LangGraph JS', 'target', 'outcome', ''];

export function table(results) {
  const rows = results.map(({ what, host, limit = '', peer = '', target }) => [
    what,
    host,
    limit,
    peer,
    target.text,
    target.outcome ?? 'not compared',
    target.met === undefined ? '–' : target.met ? '✓' : '✗',
  ]);
  const all = [HEADINGS, ...rows];
  const widths = HEADINGS.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) =>
    row
      .map((cell, column) => pad(cell, widths[column], column))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('──');
  return [line(HEADINGS), rule, ...rows.map(line)].join('\n');
}

/** Names are aligned to the left, figures to the right. */
function pad(cell, width, column) {
  return column === 0 || column === 4 ? cell.padEnd(width) : cell.padStart(width);
}
