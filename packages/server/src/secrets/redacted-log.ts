import type { OpenVault } from '@baton/engine';
import type { Json } from '@baton/protocol';

/** Removes secrets from every line of the host's log. */
export function redactedLines(
  vault: Pick<OpenVault, 'everyRedactor'>,
): ((line: string) => string) | undefined {
  const redactor = vault.everyRedactor;
  if (redactor === undefined) return undefined;
  return (line) =>
    redactor.redactText(line) === line
      ? line
      : `${JSON.stringify(redactor.redactJson(JSON.parse(line) as Json))}\n`;
}
