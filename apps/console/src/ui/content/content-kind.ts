/** How a value that a run has made is shown. */
type ContentKind = 'text' | 'markdown' | 'code' | 'patch' | 'json';

/** Names of members and types of artifacts that say what a text is, such as `patch` or `text/markdown`. */
const NAMED: readonly (readonly [RegExp, ContentKind])[] = [
  [/(^|[^a-z])(diff|patch)([^a-z]|$)/i, 'patch'],
  [/(^|[^a-z])(code|source|script|sql|html|css|javascript|typescript|python)([^a-z]|$)/i, 'code'],
  [/(^|[^a-z])(markdown|md)([^a-z]|$)/i, 'markdown'],
];

/** Only the beginning of a text is looked at, so that a huge text costs nothing. */
const LOOKED_AT = 20_000;

/**
 * The kind of a value. The form of a text decides first; its name decides where the form does not. A name alone makes
 * no patch: `diff: "small"` is a text.
 */
export function contentKind(value: unknown, name = ''): ContentKind {
  if (typeof value !== 'string') return 'json';
  const text = value.slice(0, LOOKED_AT);
  if (isPatch(text)) return 'patch';
  const named = NAMED.find(([pattern]) => pattern.test(name))?.[1];
  if (named !== undefined && named !== 'patch') return named;
  if (value.length <= LOOKED_AT && isJsonText(text)) return 'code';
  return isMarkdown(text) ? 'markdown' : 'text';
}

function isPatch(text: string): boolean {
  return /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/m.test(text) && /^(\+\+\+ |--- |diff --git )/m.test(text);
}

function isJsonText(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Marks that authors of plain text rarely write by chance. A single list mark or star is no Markdown yet. */
const MARKS: readonly RegExp[] = [
  /^#{1,6} \S/m,
  /^```/m,
  /^\s*([-*+]|\d+\.) \S.*\n\s*([-*+]|\d+\.) \S/m,
  /^\|.+\|\s*\n\|[\s:|-]+\|/m,
  /\*\*[^*\s][^*\n]*\*\*/,
  /\[[^\]\n]+\]\([^)\s]+\)/,
  /^> \S/m,
];

function isMarkdown(text: string): boolean {
  return MARKS.some((mark) => mark.test(text));
}
