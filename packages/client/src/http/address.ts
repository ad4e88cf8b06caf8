/** A value of a query. `undefined` leaves the name out; the items of a list are separated by commas. */
export type QueryValue = string | number | boolean | readonly string[] | undefined;

/**
 * The address of a request: the path of a route with its names filled in, and the query. `{+path}` keeps its slashes,
 * so `notes/today.md` stays readable in logs.
 */
export function addressOf(
  base: string,
  path: string,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, QueryValue>> = {},
): string {
  const filled = path.replace(/\{(\+?)(\w+)\}/g, (_, keepsSlashes: string, name: string) => {
    // Half a character cannot be sent; the host knows no id with the character that takes its place.
    const value = (params[name] ?? '').toWellFormed();
    return keepsSlashes === ''
      ? encodeURIComponent(value)
      : value.split('/').map(encodeURIComponent).join('/');
  });
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.set(name, String(value));
  }
  const search = given.toString();
  return `${base}${filled}${search === '' ? '' : `?${search}`}`;
}

/** The address of a host without the slash at its end. Throws when it is no address. */
export function baseOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:[^?#]*$/.test(url)) {
    throw new TypeError(`"${url}" is not the address of a host; write one like http://127.0.0.1:4747.`);
  }
  return url.replace(/\/+$/, '');
}
