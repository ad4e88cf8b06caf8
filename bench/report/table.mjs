/** Formats the results of all measures as one table of plain text. */

const MEASURE = { heading: '', cell: ({ what }) => what, isName: true };
const HOST = { heading: 'this host', cell: ({ host }) => host };
const LIMIT = { heading: 'the limit', cell: ({ limit = '' }) => limit };
const TARGET = { heading: 'target', cell: ({ target }) => target.text, isName: true };
const OUTCOME = { heading: 'outcome', cell: ({ target }) => target.outcome ?? 'not compared' };
const VERDICT = {
  heading: '',
  cell: ({ target: { met } }) => (met === undefined ? '–' : met ? '✓' : '✗'),
};

/** The columns of alternatives, without their headings. */
export const PEER = { cell: ({ peer = '' }) => peer };
export const SERVER = { cell: ({ server = '' }) => server };

export function table(results, peers) {
  const columns = [MEASURE, HOST, LIMIT, ...peers, TARGET, OUTCOME, VERDICT];
  const all = [
    columns.map(({ heading }) => heading),
    ...results.map((row) => columns.map(({ cell }) => cell(row))),
  ];
  const widths = columns.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) =>
    row
      .map((text, column) => pad(text, widths[column], columns[column]))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('──');
  const [headings, ...rows] = all.map(line);
  return [headings, rule, ...rows].join('\n');
}

/** Names are aligned to the left, figures to the right. */
function pad(text, width, { isName = false }) {
  return isName ? text.padEnd(width) : text.padStart(width);
}
