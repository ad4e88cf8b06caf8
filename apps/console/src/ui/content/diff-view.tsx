import { diffLines, diffWordsWithSpace } from 'diff';
import { useMemo } from 'react';
import { classes } from '../class-names.ts';
import { type MemberChange, memberChanges } from './value-text.ts';

const SIDES = {
  same: ['', ' ', 'unchanged'],
  removed: ['bg-removed-ground text-removed', '−', 'removed'],
  added: ['bg-added-ground text-added', '+', 'added'],
} as const;

/** How two values differ. Example: an artifact before and after the revision that a critic asked for. */
export function ValueDiff({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const changes = useMemo(() => memberChanges(before, after), [before, after]);
  if (changes.length === 0) return <p className="text-sm text-muted">Nothing differs.</p>;
  return (
    <div className="flex flex-col gap-3 min-w-0">
      {changes.map((change) => (
        <Change key={change.name ?? ''} change={change} />
      ))}
    </div>
  );
}

function Change({ change: { name, before, after } }: { readonly change: MemberChange }) {
  const rows = useMemo(() => diffRows(before, after), [before, after]);
  return (
    <section className="flex flex-col gap-1 min-w-0">
      {name !== undefined && (
        <h4 className="text-xs font-medium text-muted break-words">
          <bdi>{name}</bdi>
        </h4>
      )}
      {rows === undefined ? (
        <p className="text-sm text-muted">The two values differ in too many lines to be compared here.</p>
      ) : (
        <Lines rows={rows} />
      )}
    </section>
  );
}

/** Longer comparisons are cut: what differs beyond is not read by a person. */
const MOST_ROWS = 2_000;

function Lines({ rows }: { readonly rows: readonly DiffRow[] }) {
  return (
    <div className="rounded-md border border-line overflow-hidden font-mono text-xs leading-5">
      {rows.slice(0, MOST_ROWS).map((row, index) => (
        <Line key={index} row={row} />
      ))}
      {rows.length > MOST_ROWS && (
        <p className="px-2 py-1 text-muted bg-sunken">{rows.length - MOST_ROWS} more lines</p>
      )}
    </div>
  );
}

function Line({ row }: { readonly row: DiffRow }) {
  if (row.side === 'skipped') return <p className="px-2 text-muted bg-sunken">{row.count} equal lines</p>;
  const [look, mark, spoken] = SIDES[row.side];
  return (
    <div className={classes('flex gap-2 px-2', look)}>
      <span aria-hidden className="select-none w-3 shrink-0">
        {mark}
      </span>
      <span dir="auto" className="whitespace-pre-wrap break-words min-w-0 flex-1">
        {row.side !== 'same' && <span className="sr-only">{spoken}: </span>}
        {row.parts.map((part, index) =>
          part.changed ? (
            <b key={index} className="font-bold underline decoration-2 underline-offset-2">
              {part.text}
            </b>
          ) : (
            part.text
          ),
        )}
      </span>
    </div>
  );
}

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
