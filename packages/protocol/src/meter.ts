/**
 * Limits the work of one expression or check. A meter counts steps and never reads a clock, so that a replay
 * stops at the same place as its source. One step is a few tens of nanoseconds of work.
 */
export interface Meter {
  /** The beginning of the error message, for example "the check against the schema takes". */
  readonly what: string;
  readonly limit: number;
  left: number;
}

export class TooMuchWorkError extends Error {
  constructor({ what, limit }: Meter) {
    super(`${what} more than ${limit} steps`);
    this.name = 'TooMuchWorkError';
  }
}

export function meterOf(what: string, limit: number): Meter {
  return { what, limit, left: limit };
}

export function charge(meter: Meter, steps: number): void {
  meter.left -= steps;
  if (meter.left < 0) throw new TooMuchWorkError(meter);
}

/** A large object keeps its members in a hash table; listing a member takes several times as long. */
const FEW_MEMBERS = 64;
const STEPS_FOR_MEMBER_OF_MANY = 8;

export function stepsForMembers(count: number): number {
  return count <= FEW_MEMBERS ? count : count * STEPS_FOR_MEMBER_OF_MANY;
}

/** Reading or copying sixteen characters takes about as long as one step. */
export function stepsForText(length: number): number {
  return length >>> 4;
}
