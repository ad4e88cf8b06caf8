import { SCOPES } from '@baton/protocol';
import { nearest } from '@baton/protocol/nearest';
import { wrongUsage } from './output/command-failure.ts';

/** Parses a list with commas. The host ignores unknown scopes, so this function refuses them. */
export function parseScopes(text: string): readonly string[] {
  const scopes = [...new Set(text.split(',').map((scope) => scope.trim()))].filter((scope) => scope !== '');
  if (scopes.length === 0) throw wrongUsage(`--scopes is empty; write one or more of ${SCOPES.join(', ')}`);
  for (const scope of scopes) {
    if (!SCOPES.some((known) => known === scope)) {
      throw wrongUsage(
        `--scopes names "${scope}", which is not a scope; did you mean ${nearest(scope, SCOPES)}? ` +
          `The scopes are ${SCOPES.join(', ')}.`,
      );
    }
  }
  return scopes;
}
