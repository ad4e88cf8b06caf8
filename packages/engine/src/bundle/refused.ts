import { BatonError, type Json, toJson } from '@baton/protocol';

/** Why a bundle is not taken in. `how` goes on from "The bundle". */
export function refused(how: string, details?: Record<string, unknown>): BatonError {
  return new BatonError('bundle_invalid', `The bundle ${how}.`, details);
}

/** Something that came in a bundle as this host can store it, or the refusal that names it. */
export function storable(given: unknown, what: string): Json {
  return orRefused(() => toJson(given), what);
}

/** What comes of reading a part of the bundle, or the refusal that names the part. */
export function orRefused<T>(read: () => T, what: string): T {
  try {
    return read();
  } catch (problem) {
    if (problem instanceof BatonError) throw problem;
    throw refused(`has ${what} that cannot be stored: ${problem instanceof Error ? problem.message : ''}`);
  }
}
