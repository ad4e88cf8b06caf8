import { diffLines, diffWordsWithSpace } from 'diff';

export type DiffSide = 'same' | 'removed' | 'added';

/** A part of a line. `changed` marks the words that differ between a removed line and the added one in its place. */
export interface DiffPart {
  readonly text: string;
  readonly changed: boolean;
}

export type DiffRow =
  | { readonly side: DiffSide; readonly parts: readonly DiffPart[] }
  /** Lines that both texts have and that are far from every change. */
  | { readonly side: 'skipped'; readonly count: number };

/** How many equal lines are shown before and after a change. */
const AROUND = 3;
/** Two texts that differ in more lines than this are not compared any further; the page would stop meanwhile. */
const MOST_EDITS = 500;
const LONGEST_LINE = 2_000;

/** The lines in which two texts differ, or `undefined` when they differ in too many. */
export function diffRows(before: string, after: string): readonly DiffRow[] | undefined {
  const changes = diffLines(ended(before), ended(after), { maxEditLength: MOST_EDITS });
  if (changes === undefined) return undefined;
  const rows: DiffRow[] = [];
  changes.forEach(({ value, added, removed }, index) => {
    const lines = linesOf(value);
    if (!added && !removed) {
      rows.push(...kept(lines, index === 0, index === changes.length - 1));
      return;
    }
    const next = changes[index + 1];
    const previous = changes[index - 1];
    if (removed && next?.added === true) rows.push(...replaced(lines, linesOf(next.value)));
    else if (!(added && previous?.removed === true))
      rows.push(...lines.map((text) => whole(removed ? 'removed' : 'added', text)));
  });
  return rows;
}

/** A last line without an end is the same line as one with an end. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function linesOf(value: string): readonly string[] {
  return value.replace(/\n$/, '').split('\n');
}

function whole(side: DiffSide, text: string): DiffRow {
  return { side, parts: [{ text, changed: false }] };
}

function kept(lines: readonly string[], isFirst: boolean, isLast: boolean): readonly DiffRow[] {
  const head = isFirst ? 0 : AROUND;
  const tail = isLast ? 0 : AROUND;
  const count = lines.length - head - tail;
  const same = (some: readonly string[]) => some.map((text) => whole('same', text));
  if (count <= 1) return same(lines);
  return [
    ...same(lines.slice(0, head)),
    { side: 'skipped', count },
    ...same(lines.slice(lines.length - tail)),
  ];
}

/** Lines in the place of others. The words of lines that stand at the same place are compared. */
function replaced(removed: readonly string[], added: readonly string[]): readonly DiffRow[] {
  if (removed.length !== added.length) {
    return [...removed.map((text) => whole('removed', text)), ...added.map((text) => whole('added', text))];
  }
  const pairs = removed.map((text, index) => pair(text, added[index] ?? ''));
  return [...pairs.map(([before]) => before), ...pairs.map(([, after]) => after)];
}

function pair(before: string, after: string): readonly [DiffRow, DiffRow] {
  if (before.length > LONGEST_LINE || after.length > LONGEST_LINE)
    return [whole('removed', before), whole('added', after)];
  const words = diffWordsWithSpace(before, after);
  const parts = (without: 'added' | 'removed') =>
    words
      .filter((part) => !part[without])
      .map((part) => ({ text: part.value, changed: part.added || part.removed }));
  return [
    { side: 'removed', parts: parts('added') },
    { side: 'added', parts: parts('removed') },
  ];
}
