/** Searches for many texts at once. The time hardly depends on their number. */

export interface Needle {
  readonly text: string;
  /** The text that replaces it. */
  readonly label: string;
}

/** A stretch of a text, and the label that replaces it. Needles that overlap are one match. */
export interface Match {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

export interface Search {
  /** From left to right. They do not overlap. */
  matches(text: string): readonly Match[];
  /** How many characters at the end of the text may be the beginning of a needle. */
  openEnd(text: string): number;
}

const SLOTS = 4096;
/** Needles are looked up by this many characters of their beginning, or fewer if there is a shorter needle. */
const LONGEST_HEAD = 32;
/**
 * How many characters are compared with whole needles before the beginning of a needle counts as the needle. A
 * tenant chooses its needles and its texts, so it could make every place of a long text look like the beginning
 * of many long needles. Then more is hidden than necessary, but the search ends in time.
 */
const COMPARED = 1_000_000;
const COMPARED_PER_CHARACTER = 32;

function slotOf(before: number, last: number): number {
  return ((before << 5) ^ last) & (SLOTS - 1);
}

/**
 * The algorithm of Wu and Manber. A window as long as the shortest needle moves over the text, and its last
 * two characters say how far it may jump. Needles are compared only where these characters end the window of
 * a needle, so most of a text without a match is never read. Overlapping needles are one match, with the
 * label of the longest.
 */
export function searchFor(needles: readonly Needle[]): Search {
  const window = Math.min(...needles.map((needle) => needle.text.length));
  if (window < 2) throw new Error('a needle has at least two characters');
  const jumps = jumpsOf(needles, window);
  const head = Math.min(window, LONGEST_HEAD);
  const { byHead, beginnings, longest } = headsOf(needles, head);

  function matches(text: string): readonly Match[] {
    const found: Match[] = [];
    let length = 0;
    let left = COMPARED + COMPARED_PER_CHARACTER * text.length;
    for (let last = window - 1; last < text.length; ) {
      const jump = jumps[slotOf(text.charCodeAt(last - 1), text.charCodeAt(last))] ?? 1;
      const from = last - window + 1;
      last += jump === 0 ? 1 : jump;
      if (jump !== 0) continue;
      const candidates = byHead.get(text.slice(from, from + head));
      const needle = candidates?.find((one) => {
        left -= one.text.length;
        return left < 0 || text.startsWith(one.text, from);
      });
      if (needle === undefined) continue;
      const size = left < 0 ? head : needle.text.length;
      const before = found.at(-1);
      if (before === undefined || from >= before.to) {
        found.push({ from, to: from + size, label: needle.label });
        length = size;
        continue;
      }
      const label = size > length ? needle.label : before.label;
      found[found.length - 1] = { from: before.from, to: Math.max(from + size, before.to), label };
      length = Math.max(size, length);
    }
    return found;
  }

  function openEnd(text: string): number {
    let left = COMPARED;
    for (let from = Math.max(0, text.length - longest + 1); from < text.length; from += 1) {
      const size = text.length - from;
      if (size < head) {
        if (beginnings.has(text.slice(from))) return size;
        continue;
      }
      const candidates = byHead.get(text.slice(from, from + head)) ?? [];
      left -= candidates.length * size;
      if (candidates.length > 0 && left < 0) return size;
      if (candidates.some((needle) => needle.text.startsWith(text.slice(from)))) return size;
    }
    return 0;
  }

  return { matches, openEnd };
}

/** How far the window may move, by the last two characters in it. */
function jumpsOf(needles: readonly Needle[], window: number): Uint8Array {
  const jumps = new Uint8Array(SLOTS).fill(Math.min(window - 1, 255));
  for (const { text } of needles) {
    for (let last = 1; last < window; last += 1) {
      const slot = slotOf(text.charCodeAt(last - 1), text.charCodeAt(last));
      jumps[slot] = Math.min(jumps[slot] ?? 0, window - 1 - last);
    }
  }
  return jumps;
}

function headsOf(needles: readonly Needle[], head: number) {
  /** The needles that begin with a text of the length of a head, the longest first. */
  const byHead = new Map<string, Needle[]>();
  /** All shorter beginnings. */
  const beginnings = new Set<string>();
  let longest = 0;
  for (const needle of [...needles].sort((a, b) => b.text.length - a.text.length)) {
    longest = Math.max(longest, needle.text.length);
    const start = needle.text.slice(0, head);
    byHead.set(start, [...(byHead.get(start) ?? []), needle]);
    for (let size = 1; size < head; size += 1) beginnings.add(start.slice(0, size));
  }
  return { byHead, beginnings, longest };
}
