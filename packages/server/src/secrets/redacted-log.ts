import type { OpenVault } from '@baton/engine';
import type { Json } from '@baton/protocol';

/** Removes secrets from every line of the host's log. */
export function redactedLines(vault: Pick<OpenVault, 'everyRedactor'>): (line: string) => string {
  return (line) => {
    const redactor = vault.everyRedactor();
    if (redactor === undefined || redactor.redactText(line) === line) return line;
    return `${JSON.stringify(redactor.redactJson(JSON.parse(line) as Json))}\n`;
  };
}
