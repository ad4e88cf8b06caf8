/** A value as lines of text, for comparing and editing: texts as they are, everything else as JSON. */
export function valueText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}

export interface MemberChange {
  /** The name of the member; absent when the values are no objects and are compared as a whole. */
  readonly name?: string;
  readonly before: string;
  readonly after: string;
}

/** What differs between two values. Objects are compared member by member, so that long texts in them are readable. */
export function memberChanges(before: unknown, after: unknown): readonly MemberChange[] {
  if (!isObject(before) || !isObject(after)) {
    const change = { before: valueText(before), after: valueText(after) };
    return change.before === change.after ? [] : [change];
  }
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const change = { name, before: memberText(before, name), after: memberText(after, name) };
    return change.before === change.after ? [] : [change];
  });
}

function memberText(value: Readonly<Record<string, unknown>>, name: string): string {
  return Object.hasOwn(value, name) ? valueText(value[name]) : '';
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
