import type { Random } from '../durability/random.ts';
import { pick, STRANGE_TEXTS, strange } from './values.ts';

/** One change somewhere in a value: a part is left out, added, doubled, or becomes something strange. */
export function mutated(random: Random, value: unknown): unknown {
  if (Array.isArray(value)) return mutatedArray(random, value);
  if (typeof value === 'object' && value !== null) return mutatedObject(random, value);
  return strange(random);
}

function mutatedArray(random: Random, value: readonly unknown[]): unknown {
  if (value.length === 0 || random.chance(0.2)) return strange(random);
  const at = random.below(value.length);
  return pick<() => unknown>(random, [
    () => value.toSpliced(at, 1),
    () => [...value, value[at]],
    () => value.with(at, mutated(random, value[at])),
    () => value.with(at, mutated(random, value[at])),
  ])();
}

function mutatedObject(random: Random, value: object): unknown {
  const names = Object.keys(value);
  if (names.length === 0 || random.chance(0.1)) {
    return random.chance(0.5)
      ? strange(random)
      : { ...value, [pick(random, STRANGE_TEXTS)]: strange(random) };
  }
  const name = pick(random, names);
  const member = (value as Record<string, unknown>)[name];
  return pick<() => unknown>(random, [
    () => Object.fromEntries(Object.entries(value).filter(([other]) => other !== name)),
    () => ({ ...value, [`${name}x`]: member }),
    () => ({ ...value, [name]: strange(random) }),
    () => ({ ...value, [name]: mutated(random, member) }),
    () => ({ ...value, [name]: mutated(random, member) }),
    () => ({ ...value, [name]: mutated(random, member) }),
  ])();
}

/** The text of a body, broken in a way that only a parser notices. */
export function brokenText(random: Random, text: string): string {
  return pick<() => string>(random, [
    () => text.slice(0, random.below(text.length + 1)),
    () => `${text}${text}`,
    () => text.replace('{', '{"a":1,"a":2,'),
    () => text.replace('{', '{"__proto__":{"x":1},'),
    () => text.replace(/"/, "'"),
    () => `\ufeff${text}`,
    () => text.replace(/:\s*("[^"]*"|\d+)/, ':1e999'),
    () => `${'['.repeat(20_000)}1${']'.repeat(20_000)}`,
    () => '',
    () => 'null',
    () => '\u0000',
  ])();
}
