import { BatonError, type Json, toJson } from '@baton/protocol';

/** The bundle is not one, was changed, or does not hold what it names. */
export class BundleRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BundleRefusal';
  }
}

/** `how` continues the sentence "The bundle …". */
export function refused(how: string): BundleRefusal {
  return new BundleRefusal(`The bundle ${how}.`);
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
    if (problem instanceof BatonError || problem instanceof BundleRefusal) throw problem;
    throw refused(`has ${what} that cannot be stored: ${problem instanceof Error ? problem.message : ''}`);
  }
}
