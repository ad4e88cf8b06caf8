import type { RunEvent } from '@baton/client';

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
  const [keysA, keysB] = [a.map(keyOf), b.map(keyOf)];
  const parts: Part[] = [];
  let [fromA, fromB] = [0, 0];
  const close = (toA: number, toB: number) => {
    if (toA > fromA || toB > fromB)
      parts.push({ kind: 'between', a: a.slice(fromA, toA), b: b.slice(fromB, toB) });
  };
  for (const [atA, atB] of commonPairs(keysA, keysB)) {
    const [one, other] = [a[atA], b[atB]];
    if (one === undefined || other === undefined) continue;
    close(atA, atB);
    parts.push({ kind: 'pair', a: one, b: other });
    [fromA, fromB] = [atA + 1, atB + 1];
  }
  close(a.length, b.length);
  return parts;
}

/** The indexes of a longest common sequence. The table has a number for each pair, so the lists must be short. */
function commonPairs(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
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
