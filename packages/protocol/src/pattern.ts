import { RE2JS } from 're2js';
import { charge, type Meter } from './meter.ts';
import { expandedSize } from './pattern-size.ts';

/**
 * Patterns that authors write. The time of a match grows with the length of the text and with the expanded
 * size of the pattern. Therefore the size is limited before the pattern is compiled, and each match charges a
 * meter.
 */

export interface Pattern {
  readonly source: string;
  readonly size: number;
  matches(text: string, meter: Meter): boolean;
}

/** Allows any repetition that the matcher supports, such as `.{0,1000}`. A date pattern has about 10. */
export const MAX_PATTERN_SIZE = 2500;

/** The part of a character's cost that does not depend on the pattern. */
const BASE_SIZE = 32;

/** Throws an error with the reason if the pattern cannot be used. */
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
