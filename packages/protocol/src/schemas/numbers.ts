import Type from 'typebox';
import { LATEST_TIME } from '../time.ts';

/**
 * Whole numbers that are recorded. Every one has a largest value: it must mean the same in JSON, in this language
 * and in a column of the store, and a database refuses what does not fit.
 */

export const LARGEST_COUNT = Number.MAX_SAFE_INTEGER;
/** Of things that are counted one by one: versions and revisions. */
export const LARGEST_VERSION = 2 ** 31 - 1;

export const Count = Type.Integer({ minimum: 0, maximum: LARGEST_COUNT });
/** A count that begins with one. */
export const Ordinal = Type.Integer({ minimum: 1, maximum: LARGEST_COUNT });
export const Version = Type.Integer({ minimum: 1, maximum: LARGEST_VERSION });
/** Epoch milliseconds. */
export const Time = Type.Integer({ minimum: 0, maximum: LATEST_TIME });
export const Milliseconds = Type.Integer({ minimum: 0, maximum: LATEST_TIME });
