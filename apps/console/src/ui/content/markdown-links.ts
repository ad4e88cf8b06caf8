const ALLOWED = new Set(['http:', 'https:', 'mailto:']);

/** The address of a link that may be opened, or `undefined`. Texts of runs can hold any address, also `javascript:`. */
export function safeHref(href: string): string | undefined {
  try {
    const url = new URL(href);
    return ALLOWED.has(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}
