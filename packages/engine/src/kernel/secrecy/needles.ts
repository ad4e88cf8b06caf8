/** Searches for many texts at once. The time hardly depends on their number. */

export interface Needle {
  readonly text: string;
  /** The text that replaces it. */
  readonly label: string;
}

const SLOTS = 4096;

function slotOf(before: number, last: number): number {
  return ((before << 5) ^ last) & (SLOTS - 1);
}

/**
 * The algorithm of Wu and Manber. A window as long as the shortest needle moves over the text, and its last
 * two characters say how far it may jump. Needles are compared only where these characters end the window of
 * a needle, so most of a text without a match is never read. Overlapping matches are replaced together by the
 * label of the longest.
 */
export function replacing(needles: readonly Needle[]): (text: string) => string {
  const window = Math.min(...needles.map((needle) => needle.text.length));
  if (window < 2) throw new Error('a needle has at least two characters');
  const jumps = new Uint8Array(SLOTS).fill(Math.min(window - 1, 255));
  const ending: Needle[][] = [];
  for (const needle of [...needles].sort((a, b) => b.text.length - a.text.length)) {
    for (let last = 1; last < window; last += 1) {
      const slot = slotOf(needle.text.charCodeAt(last - 1), needle.text.charCodeAt(last));
      jumps[slot] = Math.min(jumps[slot] ?? 0, window - 1 - last);
      if (last !== window - 1) continue;
      ending[slot] ??= [];
      ending[slot].push(needle);
    }
  }

  return (text) => {
    let result = '';
    let copied = 0;
    let match: { readonly from: number; readonly to: number; readonly longest: Needle } | undefined;
    for (let last = window - 1; last < text.length; ) {
      const slot = slotOf(text.charCodeAt(last - 1), text.charCodeAt(last));
      const jump = jumps[slot] ?? 1;
      const from = last - window + 1;
      last += jump === 0 ? 1 : jump;
      if (jump !== 0) continue;
      const found = ending[slot]?.find((needle) => text.startsWith(needle.text, from));
      if (found === undefined) continue;
      const to = from + found.text.length;
      if (match !== undefined && from < match.to) {
        const longest = found.text.length > match.longest.text.length ? found : match.longest;
        match = { from: match.from, to: Math.max(to, match.to), longest };
        continue;
      }
      if (match !== undefined) {
        result += text.slice(copied, match.from) + match.longest.label;
        copied = match.to;
      }
      match = { from, to, longest: found };
    }
    if (match === undefined) return text;
    return result + text.slice(copied, match.from) + match.longest.label + text.slice(match.to);
  };
}
