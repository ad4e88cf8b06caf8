/**
 * The router keeps what a reader of the address leaves out, so that a page would be given values of any type. Here they
 * are taken away by name.
 */
export function strictly<Search extends object>(
  read: (search: Record<string, unknown>) => Search,
): (search: Record<string, unknown>) => Search {
  return (search) => {
    const nothing = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
    return { ...nothing, ...read(search) };
  };
}
