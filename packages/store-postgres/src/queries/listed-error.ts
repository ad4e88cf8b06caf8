/**
 * The listed state of a run without the error, which is removed with the log. Postgres itself could not read every JSON
 * text that we store: its own type for JSON has no U+0000.
 */
export function withoutError(listed: string | null): string | null {
  if (listed === null) return null;
  const { error: _, ...rest } = JSON.parse(listed);
  return JSON.stringify(rest);
}
