import type { RunEvent } from '@baton/client';
import { diffArrays } from 'diff';

/** Puts the events of two logs beside each other, so that an event that one run has more does not shift all others. */

export type AlignedRow =
  | { readonly kind: 'equal' | 'changed'; readonly a: RunEvent; readonly b: RunEvent }
  | { readonly kind: 'removed'; readonly a: RunEvent }
  | { readonly kind: 'added'; readonly b: RunEvent };

/** Equal events first, then pairs of the same type and node in between, whose payloads differ. */
export function alignEvents(a: readonly RunEvent[], b: readonly RunEvent[]): readonly AlignedRow[] {
  const roots = [...new Set([...a, ...b].map(({ runId }) => rootOf(runId)))];
  const content = (event: RunEvent) =>
    withoutIds(JSON.stringify([event.type, event.nodeId, event.payload]), roots);
  const rows: AlignedRow[] = [];
  for (const part of matched(a, b, content)) {
    if (part.kind === 'pair') rows.push({ kind: 'equal', a: part.a, b: part.b });
    else rows.push(...alignDifferent(part.a, part.b));
  }
  return rows;
}

function alignDifferent(a: readonly RunEvent[], b: readonly RunEvent[]): readonly AlignedRow[] {
  const rows: AlignedRow[] = [];
  for (const part of matched(a, b, ({ type, nodeId = '' }) => `${type} ${nodeId}`)) {
    if (part.kind === 'pair') rows.push({ kind: 'changed', a: part.a, b: part.b });
    else {
      for (const event of part.a) rows.push({ kind: 'removed', a: event });
      for (const event of part.b) rows.push({ kind: 'added', b: event });
    }
  }
  return rows;
}

type Part =
  | { readonly kind: 'pair'; readonly a: RunEvent; readonly b: RunEvent }
  | { readonly kind: 'between'; readonly a: readonly RunEvent[]; readonly b: readonly RunEvent[] };

/** The longest common sequence of the two lists by key, and what is between its pairs. */
function matched(
  a: readonly RunEvent[],
  b: readonly RunEvent[],
  keyOf: (event: RunEvent) => string,
): readonly Part[] {
  const parts: Part[] = [];
  let [atA, atB] = [0, 0];
  let between: { readonly a: RunEvent[]; readonly b: RunEvent[] } = { a: [], b: [] };
  const close = () => {
    if (between.a.length + between.b.length > 0) parts.push({ kind: 'between', ...between });
    between = { a: [], b: [] };
  };
  for (const { added, removed, count } of diffArrays(a.map(keyOf), b.map(keyOf))) {
    if (removed) between.a.push(...a.slice(atA, atA + count));
    else if (added) between.b.push(...b.slice(atB, atB + count));
    else {
      close();
      for (let index = 0; index < count; index += 1) {
        const [one, other] = [a[atA + index], b[atB + index]];
        if (one !== undefined && other !== undefined) parts.push({ kind: 'pair', a: one, b: other });
      }
    }
    if (!added) atA += count;
    if (!removed) atB += count;
  }
  close();
  return parts;
}

function rootOf(runId: string): string {
  return runId.split('.', 1)[0] ?? runId;
}

function withoutIds(text: string, roots: readonly string[]): string {
  return roots.reduce((rest, root) => rest.replaceAll(root, 'run'), text);
}

/** The payload of an event with the same word for the ids of both trees, so that ids are not shown as differences. */
export function comparablePayload({ payload }: RunEvent, runIds: readonly string[]): unknown {
  return JSON.parse(withoutIds(JSON.stringify(payload), runIds.map(rootOf)));
}

type RowGroup =
  | { readonly kind: 'equal'; readonly rows: readonly AlignedRow[] }
  | { readonly kind: 'different'; readonly row: AlignedRow };

/** Neighbouring equal events become one group, which the page shows as one line. */
export function groupRows(rows: readonly AlignedRow[]): readonly RowGroup[] {
  const groups: RowGroup[] = [];
  let equal: AlignedRow[] = [];
  const close = () => {
    if (equal.length > 0) groups.push({ kind: 'equal', rows: equal });
    equal = [];
  };
  for (const row of rows) {
    if (row.kind === 'equal') equal.push(row);
    else {
      close();
      groups.push({ kind: 'different', row });
    }
  }
  close();
  return groups;
}
