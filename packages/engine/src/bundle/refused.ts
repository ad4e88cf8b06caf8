import { BatonError, type Json, toJson } from '@baton/protocol';

/** The error for a bundle that is not imported. `how` continues the sentence "The bundle …". */
export function refused(how: string, details?: Record<string, unknown>): BatonError {
  return new BatonError('bundle_invalid', `The bundle ${how}.`, details);
}

/** Turns a part of a bundle into JSON that can be stored. Throws a refusal that names the part. */
export function storable(given: unknown, what: string): Json {
  return orRefused(() => toJson(given), what);
}

/** Reads a part of a bundle. Throws a refusal that names the part. */
export function orRefused<T>(read: () => T, what: string): T {
  try {
    return read();
  } catch (problem) {
    if (problem instanceof BatonError) throw problem;
    throw refused(`has ${what} that cannot be stored: ${problem instanceof Error ? problem.message : ''}`);
  }
}
