import formatsModule from 'ajv-formats/dist/formats.js';
import type { Json } from '../json.ts';
import { charge, type Meter } from '../meter.ts';

/**
 * Formats of text and numbers. Their patterns backtrack, so text longer than `LONGEST` is refused untested.
 */

type Test = RegExp | ((text: never) => boolean) | true;
type Format = Test | { readonly type?: 'number' | 'string'; readonly validate: Test };

const FORMATS = formatsModule.fullFormats as unknown as Readonly<Record<string, Format>>;

/**
 * Longer than any address or date. The formats in `UNBOUNDED` may be longer, because their test is linear.
 */
const LONGEST = 1024;
const UNBOUNDED: readonly string[] = ['byte', 'binary', 'password'];

/** A format with an unknown name accepts every value. */
export function fitsFormat(name: string, value: Json, meter: Meter): boolean {
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (format === undefined || format === true) return true;
  const { type, validate } =
    typeof format === 'object' && 'validate' in format
      ? { type: format.type ?? 'string', validate: format.validate }
      : { type: 'string', validate: format };
  if (typeof value !== type || validate === true) return true;
  if (typeof value === 'string') {
    if (value.length > LONGEST && !UNBOUNDED.includes(name)) return false;
    charge(meter, stepsForFormat(name, value.length));
  }
  return validate instanceof RegExp ? validate.test(String(value)) : validate(value as never);
}

function stepsForFormat(name: string, length: number): number {
  return UNBOUNDED.includes(name) ? length : 1 + ((length * length) >>> 4);
}
