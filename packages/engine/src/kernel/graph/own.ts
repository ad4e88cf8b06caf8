/** A member that is really there: names come from authors, and `constructor` is on every object. */
export function own<T>(from: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(from, name) ? from[name] : undefined;
}
