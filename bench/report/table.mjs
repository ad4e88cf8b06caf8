/** Formats the results of all measures as one table of plain text. */

export function table(results, peer = 'LangGraph JS') {
  const headings = ['', 'this host', 'the limit', peer, 'target', 'outcome', ''];
  const rows = results.map(({ what, host, limit = '', peer: other = '', target }) => [
    what,
    host,
    limit,
    other,
    target.text,
    target.outcome ?? 'not compared',
    target.met === undefined ? '–' : target.met ? '✓' : '✗',
  ]);
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) =>
    row
      .map((cell, column) => pad(cell, widths[column], column))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('──');
  return [line(headings), rule, ...rows.map(line)].join('\n');
}

/** Names are aligned to the left, figures to the right. */
function pad(cell, width, column) {
  return column === 0 || column === 4 ? cell.padEnd(width) : cell.padStart(width);
}
