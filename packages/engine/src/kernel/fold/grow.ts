/**
 * Copies of states with members that the state did not have.
 *
 * In V8 of Node 20, every object `{ ...state, added }` gets a hidden class of its own. Making the class costs
 * microseconds, and all later accesses to the object are slow, because no two objects share a class. A copy
 * that begins as an empty object shares its class with the other copies. `{ ...state, known }`, which only
 * replaces members that the state has, is not affected and remains the fastest copy.
 */

const NOTHING: object = {};

/**
 * The first copy of an object has another hidden class than the object, and all further copies have the class of
 * the first copy. An object that will be copied often is therefore copied once where it is made: a copy
 * `{ ...state }` is fast while the states that come to it have few classes.
 */
export function settled<S extends object>(made: S): S {
  return { ...made };
}

/** A copy with one member set. Works for every key, also for `__proto__`. */
export function withMember<V>(
  record: Readonly<Record<string, V>>,
  key: string,
  value: V,
): Readonly<Record<string, V>> {
  if (Object.hasOwn(record, key)) return { ...record, [key]: value };
  return { ...NOTHING, ...record, [key]: value };
}

/** The member of an object. Members that every object inherits, such as `constructor`, are none. */
export function memberOf<V>(record: Readonly<Record<string, V>> | undefined, key: string): V | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A copy with members set that the state may not have. */
export function grown<S extends object>(state: S, more: Partial<S>): S {
  return settled({ ...NOTHING, ...state, ...more });
}
