import type { Json, JsonObject } from '@baton/protocol';

/**
 * Addresses of HTTP tools, with arguments as `{name}` in the path and the query. A value is percent-encoded, so it
 * stays within its place: `{name}` = `../admin?x=1` becomes `..%2Fadmin%3Fx%3D1`.
 */

const PLACE = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The names of the arguments in an address. */
export function argumentsIn(template: string): readonly string[] {
  return [...new Set([...template.matchAll(PLACE)].map(([, name = '']) => name))];
}

/** What is wrong with an address, as the end of a sentence that begins with its name. */
export function problemWithTemplate(template: string): string | undefined {
  const filled = template.replace(PLACE, 'x');
  if (/[{}]/.test(filled)) return 'has a brace without a name; write an argument as {name}';
  if (!/^https?:\/\/[^/?#{}]+(?:[/?]|$)/.test(template)) {
    return 'must begin with https:// or http:// and a host, and can have {name} only behind the host';
  }
  if (!URL.canParse(filled)) return 'is not a URL';
  const url = new URL(filled);
  if (url.username !== '' || url.password !== '') return 'must not hold a password; write it as a header';
  if (url.hash !== '') return 'must not have a part behind #, which is never sent';
  if (url.href.replace(/^[^/]*\/\/[^/?]*\/?/, '') !== filled.replace(/^[^/]*\/\/[^/?]*\/?/, '')) {
    return `must be written as browsers send it, here ${url.pathname}${url.search}`;
  }
  return undefined;
}

/** The address with the arguments in it, or the name of an argument that cannot be in an address. */
export function fillTemplate(template: string, input: JsonObject): { url: URL } | { wrong: string } {
  let wrong: string | undefined;
  const filled = template.replace(PLACE, (_, name: string) => {
    const value = Object.hasOwn(input, name) ? encoded(input[name]) : undefined;
    if (value === undefined) wrong ??= name;
    return value ?? '';
  });
  if (wrong !== undefined) return { wrong };
  const url = new URL(filled);
  // A part of a path that is `.` or `..` leads to another path, and its percent-encoded form does too.
  const [, path = ''] = /^https?:\/\/[^/?]+([^?]*)/.exec(filled) ?? [];
  if (path !== '' && url.pathname !== path) return { wrong: argumentsIn(template).join(', ') };
  return { url };
}

/** An empty value would leave out a part of the path. */
function encoded(value: Json | undefined): string | undefined {
  const text = queryText(value);
  return text === undefined || text === '' ? undefined : encodeURIComponent(text);
}

/** A value as text in a query, or undefined if it has no plain form. */
export function queryText(value: Json | undefined): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.isWellFormed() ? value : undefined;
}
