import { characterWidth } from './text-width.ts';

/**
 * Texts from workflows, agents, models and other hosts, as a person may see them on a terminal. Such a text must not
 * move the cursor, change the order of the characters around it, or hide a part of itself.
 */

/**
 * Control characters except tab and new line, all characters without a shape of their own (marks of the writing
 * direction, spaces without width, tags), and halves of characters.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to show.
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufff9-\ufffb\p{Default_Ignorable_Code_Point}\p{Cs}]/gu;
/** The signs that choose the picture of an emoji, or join several to one: they are seen with the emoji. */
const PART_OF_EMOJI =
  /(?<=\p{Emoji}\p{Emoji_Modifier}?)\ufe0f|(?<=\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)?)\u200d(?=\p{Extended_Pictographic})/gu;
const NEEDS_CARE = /[^\x20-\x7e\n\t]/;
/** The colours that commands add to their own texts. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with it.
const COLOUR = /(\x1b\[\d+m)/;

/**
 * The text with escapes such as `\u202e` in place of characters that cannot be seen. The escapes are those of JSON, so
 * JSON stays the same value.
 */
export function printable(text: string): string {
  if (!NEEDS_CARE.test(text)) return text;
  const lines = text.replaceAll('\r\n', '\n');
  const kept = new Set([...lines.matchAll(PART_OF_EMOJI)].map(({ index }) => index));
  return lines.replace(UNSEEN, (character, at: number) => (kept.has(at) ? character : escaped(character)));
}

/** The same for a text that has colours of the command, which `printable` would show as escapes. */
export function printableWithColours(text: string): string {
  return text
    .split(COLOUR)
    .map((part, at) => (at % 2 === 1 ? part : printable(part)))
    .join('');
}

/** The same in one line. */
export function printableLine(text: string): string {
  return printable(text)
    .trim()
    .replace(/\s*[\n\t]\s*|\s{3,}/g, ' ');
}

/**
 * The same in several lines. Each line but the first begins with the indent and a mark, so that no text can look like a
 * line that the command wrote itself. A line that is wider than the terminal is broken here, because the terminal would
 * break it without the mark.
 */
export function printableBlock(text: string, indent: number, columns = Number.POSITIVE_INFINITY): string {
  const width = Math.max(20, columns - indent - MARK.length);
  const lines = printable(text.trimStart())
    .replaceAll('\t', '  ')
    .split('\n')
    .flatMap((line) => broken(line, width));
  return lines.join(`\n${' '.repeat(indent)}${MARK}`);
}

const MARK = '│ ';

/** The line in parts of at most this width. */
function broken(line: string, width: number): readonly string[] {
  const parts: string[] = [];
  let part = '';
  let used = 0;
  for (const character of line) {
    const own = characterWidth(character);
    if (used + own > width) {
      parts.push(part);
      part = '';
      used = 0;
    }
    part += character;
    used += own;
  }
  return [...parts, part];
}

/** Each half of a character outside of the basic plane has an escape of its own, as in JSON. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
