import { replaceTokens, sealedName } from '../secrecy/sealed.ts';
import type { Turn } from '../turn.ts';

/**
 * A run that was imported, or that was written before the sealing key was changed, holds tokens that this host
 * cannot open. What this host seals in its place has other letters, whether or not it is the same value. That is no
 * difference that a replay could tell, so it goes on with the token of its source.
 */

/** Whether a text holds a token that this host cannot open. */
export function holdsForeignSeal(turn: Turn, text: string): boolean {
  let found = false;
  replaceTokens(text, (token) => {
    found ||= isForeign(turn, token);
    return token;
  });
  return found;
}

/**
 * Learns which token of the source stands for which of this host's, where that is all in which two texts differ.
 * False when they differ in anything else, or when nothing new was learnt.
 */
export function learnForeignSeals(turn: Turn, own: string, recorded: string): boolean {
  const mine = tokensIn(own);
  const theirs = tokensIn(recorded);
  if (mine.tokens.length === 0 || mine.around !== theirs.around) return false;
  const { foreignSeals } = turn.tree;
  const before = foreignSeals.size;
  for (const [at, token] of mine.tokens.entries()) {
    const other = theirs.tokens[at] ?? token;
    if (other === token) continue;
    if (foreignSeals.has(token) || !isForeign(turn, other)) return false;
    foreignSeals.set(token, other);
  }
  return foreignSeals.size > before;
}

/** The tokens of a text, and the text around them. A token that is longer or shorter stands for another value. */
function tokensIn(text: string): { readonly tokens: readonly string[]; readonly around: string } {
  const tokens: string[] = [];
  const around = replaceTokens(text, (token) => {
    tokens.push(token);
    return `<${sealedName(token)} ${token.length}>`;
  });
  return { tokens, around };
}

function isForeign({ tree, run }: Turn, token: string): boolean {
  return !tree.world.opens(run.tenant, token);
}
