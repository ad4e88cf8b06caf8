import { RE2JS } from 're2js';
import { charge, type Meter } from './meter.ts';
import { expandedSize } from './pattern-size.ts';

/**
 * Patterns that authors write. The matcher is linear in the text, but its cost grows with the expanded size of
 * the pattern too, so that size is bounded before the pattern is compiled, and each match is charged for.
 */

export interface Pattern {
  readonly source: string;
  readonly size: number;
  matches(text: string, meter: Meter): boolean;
}

/** Room for any single repetition that the matcher takes, such as `.{0,1000}`; a date is about 10. */
export const MAX_PATTERN_SIZE = 2500;

/** What a character costs before the size of the pattern counts. */
const BASE_SIZE = 32;

/** Throws with the reason when the pattern cannot be used. */
export function compilePattern(source: string): Pattern {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const size = expandedSize(source);
  if (size > MAX_PATTERN_SIZE) {
    throw new Error(
      `the pattern is too large: with its repetitions written out it has ${size} parts, and ${MAX_PATTERN_SIZE} are allowed`,
    );
  }
  const matcher = RE2JS.compile(source);
  const pattern: Pattern = {
    source,
    size,
    matches(text, meter) {
      charge(meter, stepsForMatch(text.length, size));
      return matcher.matcher(text).find();
    },
  };
  if (compiled.size >= REMEMBERED) compiled.clear();
  compiled.set(source, pattern);
  return pattern;
}

const REMEMBERED = 1000;
const compiled = new Map<string, Pattern>();

function stepsForMatch(characters: number, size: number): number {
  return 1 + Math.ceil((characters * (BASE_SIZE + size)) / 4);
}
