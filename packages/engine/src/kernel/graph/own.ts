/** Only own members. Names come from authors, and every object inherits members such as `constructor`. */
export function own<T>(from: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return from !== undefined && Object.hasOwn(from, name) ? from[name] : undefined;
}
