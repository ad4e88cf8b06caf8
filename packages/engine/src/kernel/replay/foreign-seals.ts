import { replaceTokens, sealedName } from '../secrecy/sealed.ts';
import type { WorkingRun } from '../working-run.ts';

/**
 * A run that another host has recorded, or that was recorded before the sealing key was changed, holds tokens that this host cannot
 * open. When this host seals the same value, it makes a different token. A replay cannot tell whether the
 * values are equal, so it accepts the token of its source and goes on with it.
 */

/** Whether a text holds a token that this host cannot open. */
export function holdsForeignSeal(working: WorkingRun, text: string): boolean {
  let found = false;
  replaceTokens(text, (token) => {
    found ||= isForeign(working, token);
    return token;
  });
  return found;
}

/**
 * Learns which token of the source corresponds to which token of this host, when two texts differ only in
 * tokens. False when they differ in anything else, or when no new token was learnt.
 */
export function learnForeignSeals(working: WorkingRun, own: string, recorded: string): boolean {
  const mine = tokensIn(own);
  const theirs = tokensIn(recorded);
  if (mine.tokens.length === 0 || mine.around !== theirs.around) return false;
  const { foreignSeals } = working.tree;
  const before = foreignSeals.size;
  for (const [at, token] of mine.tokens.entries()) {
    const other = theirs.tokens[at] ?? token;
    if (other === token) continue;
    if (foreignSeals.has(token) || !isForeign(working, other)) return false;
    foreignSeals.set(token, other);
  }
  return foreignSeals.size > before;
}

/** The tokens of a text, and the text around them. Equal values have tokens of equal length. */
function tokensIn(text: string): { readonly tokens: readonly string[]; readonly around: string } {
  const tokens: string[] = [];
  const around = replaceTokens(text, (token) => {
    tokens.push(token);
    return `<${sealedName(token)} ${token.length}>`;
  });
  return { tokens, around };
}

function isForeign({ tree, run }: WorkingRun, token: string): boolean {
  return !tree.world.opens(run.tenant, token);
}
