import { type Random, seededRandom } from '../durability/random.ts';

/** Choices on top of a seeded generator. */
export interface Dice extends Random {
  pick<T>(items: readonly T[]): T;
  /** One of these, called only when it is chosen; each weighs as much as its number. */
  weigh<T>(...choices: readonly (readonly [weight: number, make: () => T])[]): T;
  /** The members, each with this probability. */
  some<T extends object>(probability: number, members: T): Partial<T>;
  between(least: number, most: number): number;
}

export function diceOf(seed: number): Dice {
  const random = seededRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[random.below(items.length)] as T;
  return {
    ...random,
    pick,
    weigh(...choices) {
      let left = random.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, make] of choices) {
        left -= weight;
        if (left < 0) return make();
      }
      return (choices.at(-1) as (typeof choices)[number])[1]();
    },
    some: (probability, members) =>
      Object.fromEntries(Object.entries(members).filter(() => random.chance(probability))) as Partial<
        typeof members
      >,
    between: (least, most) => least + random.below(most - least + 1),
  };
}

/** A seed for the family of this number, so that one of many can be run alone. */
export function seedOf(seed: number, number: number): number {
  return Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35);
}
