/** Changes a JSON document at random places: numbers to their extremes, texts, types, order, depth, and what stands where. */

export type Random = () => number;

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

const NUMBERS = [
  0,
  -1,
  0.5,
  1,
  2,
  255,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  8.64e15,
  8.64e15 + 1,
  1e21,
  1e300,
  -1e300,
  -0,
  5e-324,
];
const TEXTS = [
  '',
  ' ',
  'x',
  '__proto__',
  'constructor',
  'null',
  'run:x',
  'scope:imported:',
  'workspace:default',
  '../../etc/passwd',
  '\u0000',
  '\ud800',
  '[REDACTED]',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '2016-12-31T23:59:60Z',
  '2026-01-01T00:00:00+14:00',
  '019c0000-0000-7000-8000-000000000000',
  '019c0000-0000-7000-8000-000000000000.1',
  'f'.repeat(64),
  'y'.repeat(300),
  'z'.repeat(70_000),
];
const OTHERS = [null, true, false, 0, '', 'text', [], {}, [[]], [null], { a: 1 }];

type Holder = Record<string, unknown> | unknown[];

interface Place {
  readonly holder: Holder;
  readonly key: string | number;
  readonly value: unknown;
}

/** Every value in the document, with the place where it stands. */
function placesIn(document: unknown): readonly Place[] {
  const places: Place[] = [];
  const visit = (holder: Holder): void => {
    const entries: [string | number, unknown][] = Array.isArray(holder)
      ? [...holder.entries()]
      : Object.entries(holder);
    for (const [key, value] of entries) {
      places.push({ holder, key, value });
      if (typeof value === 'object' && value !== null) visit(value as Holder);
    }
  };
  visit(document as Holder);
  return places;
}

/** Changes the document in place, and says what was done. */
export function mutate(document: unknown, random: Random): string {
  const places = placesIn(document);
  const place = pick(random, places);
  const change = pick(random, CHANGES);
  change.apply(place, random, places);
  return `${change.name} ${String(place.key)}`;
}

const set = ({ holder, key }: Place, value: unknown): void => {
  (holder as Record<string | number, unknown>)[key] = value;
};

interface Change {
  readonly name: string;
  apply(place: Place, random: Random, all: readonly Place[]): void;
}

/** Something of the same type, for as many steps as it takes to get past the first checks. */
function ofItsKind(place: Place, random: Random, all: readonly Place[]): void {
  const { value } = place;
  if (typeof value === 'number') set(place, pick(random, NUMBERS));
  else if (typeof value === 'boolean') set(place, !value);
  else if (typeof value === 'string') {
    const others = all.filter((other) => typeof other.value === 'string');
    set(place, random() < 0.5 ? pick(random, TEXTS) : pick(random, others).value);
  } else set(place, structuredClone(pick(random, all).value));
}

const CHANGES: readonly Change[] = [
  { name: 'of its kind', apply: ofItsKind },
  { name: 'of its kind', apply: ofItsKind },
  { name: 'of its kind', apply: ofItsKind },
  { name: 'of another kind', apply: (place, random) => set(place, structuredClone(pick(random, OTHERS))) },
  {
    name: 'removed',
    apply: ({ holder, key }) => {
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key as string];
    },
  },
  {
    name: 'doubled',
    apply: ({ holder, key, value }) => {
      if (Array.isArray(holder)) holder.splice(Number(key), 0, structuredClone(value));
      else holder[`${String(key)}2`] = structuredClone(value);
    },
  },
  {
    name: 'swapped',
    apply: (place, random, all) => {
      const other = pick(random, all);
      const [one, two] = [structuredClone(place.value), structuredClone(other.value)];
      set(place, two);
      set(other, one);
    },
  },
  {
    name: 'swapped with a neighbour',
    apply: ({ holder, key }, random) => {
      if (!Array.isArray(holder)) return;
      const other = Math.floor(random() * holder.length);
      [holder[Number(key)], holder[other]] = [holder[other], holder[Number(key)]];
    },
  },
  {
    name: 'nested',
    apply: (place, random) => {
      let nested: unknown = place.value;
      for (let depth = pick(random, [1, 3, 70, 700]); depth > 0; depth -= 1)
        nested = random() < 0.5 ? [nested] : { a: nested };
      set(place, nested);
    },
  },
  {
    name: 'added to',
    apply: ({ holder }, random) => {
      if (Array.isArray(holder)) holder.push(structuredClone(pick(random, OTHERS)));
      else
        Object.defineProperty(holder, pick(random, ['__proto__', 'more', 'toJSON', 'length']), {
          value: 1,
          enumerable: true,
          configurable: true,
          writable: true,
        });
    },
  },
];
