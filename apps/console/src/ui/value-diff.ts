/** How two JSON values differ, member by member. */

export type ChangeKind = 'added' | 'removed' | 'changed';

export interface ValueChange {
  readonly kind: ChangeKind;
  /** The names and indexes that lead to the value. Empty: the whole value. */
  readonly path: readonly string[];
  readonly before?: unknown;
  readonly after?: unknown;
}

interface ValueChanges {
  readonly changes: readonly ValueChange[];
  /** True when there are more changes than were listed. */
  readonly more: boolean;
}

/** Deeper values are compared as a whole, so that a hostile value cannot exhaust the stack. */
const DEEPEST = 64;

type Members = Readonly<Record<string, unknown>>;

/** Whether two values are the same JSON. The order of members does not count. */
export function sameValue(one: unknown, other: unknown): boolean {
  const left: (readonly [unknown, unknown])[] = [[one, other]];
  for (let pair = left.pop(); pair !== undefined; pair = left.pop()) {
    if (pair[0] === pair[1]) continue;
    const members = membersOf(pair[0], pair[1]);
    if (members === undefined) return false;
    const [a, b] = members;
    const names = Object.keys(a);
    if (names.length !== Object.keys(b).length) return false;
    for (const name of names) {
      if (!Object.hasOwn(b, name)) return false;
      left.push([a[name], b[name]]);
    }
  }
  return true;
}

/** The differences of two values, the first `most` of them. Lists are compared by index. */
export function diffValues(before: unknown, after: unknown, most: number): ValueChanges {
  const changes: ValueChange[] = [];
  const isWhole = collect(changes, [], before, after, most);
  return { changes, more: !isWhole };
}

/** False as soon as there is no room for another change. */
function collect(
  found: ValueChange[],
  path: readonly string[],
  before: unknown,
  after: unknown,
  most: number,
): boolean {
  if (sameValue(before, after)) return true;
  const members = membersOf(before, after);
  if (members === undefined || path.length >= DEEPEST) {
    if (found.length >= most) return false;
    found.push(changeOf(path, before, after));
    return true;
  }
  const [left, right] = members;
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const [was, is] = [own(left, name), own(right, name)];
    if (!collect(found, [...path, name], was, is, most)) return false;
  }
  return true;
}

function changeOf(path: readonly string[], before: unknown, after: unknown): ValueChange {
  if (before === undefined) return { kind: 'added', path, after };
  return after === undefined ? { kind: 'removed', path, before } : { kind: 'changed', path, before, after };
}

function own(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** The members of two objects or of two lists, which can be compared one by one. */
function membersOf(one: unknown, other: unknown): readonly [Members, Members] | undefined {
  const areObjects = typeof one === 'object' && typeof other === 'object' && one !== null && other !== null;
  if (!areObjects || Array.isArray(one) !== Array.isArray(other)) return undefined;
  return [one as Members, other as Members];
}
