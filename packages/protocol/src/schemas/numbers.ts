import Type from 'typebox';
import { LATEST_TIME } from '../time.ts';

/**
 * Whole numbers that are recorded. Each has a maximum, because the number must be the same in JSON, in
 * JavaScript and in a column of the store. A database refuses larger numbers.
 */

export const LARGEST_COUNT = Number.MAX_SAFE_INTEGER;
/** Versions and revisions grow by one with each write, so they never get close to this. */
export const LARGEST_VERSION = 2 ** 31 - 1;

export const Count = Type.Integer({ minimum: 0, maximum: LARGEST_COUNT });
/** A count that begins with one. */
export const Ordinal = Type.Integer({ minimum: 1, maximum: LARGEST_COUNT });
export const Version = Type.Integer({ minimum: 1, maximum: LARGEST_VERSION });
/** Epoch milliseconds. */
export const Time = Type.Integer({ minimum: 0, maximum: LATEST_TIME });
export const Milliseconds = Type.Integer({ minimum: 0, maximum: LATEST_TIME });
