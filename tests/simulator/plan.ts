import type { EngineOptions } from '@baton/engine';
import { type Dice, diceOf, seedOf } from '../fuzz/random-choice.ts';
import { WAIT } from './workflows.ts';

/**
 * What is done to the hosts in one simulation, decided beforehand by the seed. Every step has a seed of its
 * own, so that a step does the same when others are removed.
 */
export interface Plan {
  readonly seed: number;
  readonly mode: Mode;
  readonly hosts: 1 | 2 | 3;
  readonly share: NonNullable<EngineOptions['share']>;
  /** Whether every slice is folded again from its bytes. */
  readonly refolds: boolean;
  /** Whether the hosts sign what they store, which they must in order to erase. */
  readonly signs: boolean;
  readonly retention?: NonNullable<EngineOptions['retention']>;
  /** Whether a simulated Restate hands out the effects of the hosts and rings their deadlines. */
  readonly restate: boolean;
  readonly steps: readonly Step[];
}

/**
 * What the hosts share: a SQLite store, of which they know nothing but what it answers, or a simulated Postgres, which
 * also knows the hosts.
 */
export type Mode = 'sqlite' | 'postgres';

export interface Step {
  /** Turns since the step before. */
  readonly after: number;
  readonly act: Act;
  readonly seed: number;
}

const COMMANDS = {
  create: 5,
  answer: 12,
  cancel: 2,
  'cancel-child': 2,
  pause: 2,
  resume: 3,
  branch: 1.5,
  replay: 0.7,
  retry: 1,
  again: 3,
  register: 0.7,
  file: 0.7,
  'delete-file': 0.3,
  erase: 0.7,
  release: 0.5,
  time: 9,
} as const;

const FAULTS = {
  crash: 1.5,
  'crash-before-commit': 2,
  'crash-after-commit': 2,
  'lost-acknowledgement': 1,
  'lose-tree': 1,
  conflict: 2,
  slow: 4,
  full: 0.7,
  freeze: 1.5,
} as const;

/** The faults of hosts that share a simulated Postgres. The loss of an answer is settled there. */
const POSTGRES_FAULTS = {
  crash: 2,
  'crash-before-commit': 1.5,
  'crash-after-commit': 1.5,
  conflict: 1,
  slow: 3,
  full: 0.5,
  freeze: 1,
  'pause-host': 3,
  disconnect: 4,
  'lose-feed': 2,
  'restart-database': 1.5,
  drain: 3,
} as const;

/** What is added where the hosts use a simulated Restate. */
const RESTATE_ACTS = {
  'lose-restate': 1,
  'leave-restate': 2,
  hasten: 2,
} as const;

export type Act = keyof typeof COMMANDS | keyof typeof FAULTS | PostgresFault | keyof typeof RESTATE_ACTS;
type PostgresFault = keyof typeof POSTGRES_FAULTS;

export const TENANTS = ['acme', 'bolt'] as const;

export function planOf(seed: number, mode: Mode): Plan {
  const isShared = mode === 'postgres';
  const dice = diceOf(seedOf(isShared ? 0x90_57 : 0x51_b, seed));
  const fault = () => (isShared ? anyOf(dice, POSTGRES_FAULTS) : anyOf(dice, FAULTS));
  const isCalm = dice.chance(0.1);
  const first = Array.from({ length: dice.between(1, 2) }, () => stepOf(dice, 'create', 0));
  const rest = Array.from({ length: dice.between(3, 14) }, () =>
    stepOf(dice, isCalm || dice.chance(0.7) ? anyOf(dice, COMMANDS) : fault(), gap(dice)),
  );
  const plan: Plan = {
    seed,
    mode,
    hosts: isShared
      ? dice.weigh<Plan['hosts']>([7, () => 2], [3, () => 3])
      : dice.weigh<Plan['hosts']>([7, () => 1], [2.5, () => 2], [0.5, () => 3]),
    share: {
      events: dice.weigh([1, () => 1], [2, () => 3], [3, () => 20], [4, () => 256]),
      bytes: 256 * 1024,
      ms: Number.POSITIVE_INFINITY,
    },
    refolds: dice.chance(0.1),
    signs: dice.chance(0.4),
    ...(dice.chance(0.15) && {
      retention: { logsMs: dice.pick([1, WAIT]), memoryMs: dice.pick([1, 2 * WAIT]) },
    }),
    restate: false,
    steps: [...first, ...rest],
  };
  return isShared && dice.chance(0.35) ? withRestate(dice, plan) : plan;
}

/** The dice are rolled after all others, so that the plans without a Restate do not depend on it. */
function withRestate(dice: Dice, plan: Plan): Plan {
  const added = Array.from({ length: dice.between(0, 4) }, () => ({
    at: dice.between(1, plan.steps.length),
    step: stepOf(dice, anyOf(dice, RESTATE_ACTS), gap(dice)),
  }));
  const stepsAt = (at: number) => added.filter((one) => one.at === at).map(({ step }) => step);
  const steps = plan.steps.flatMap((step, at) => [step, ...stepsAt(at + 1)]);
  return { ...plan, restate: true, steps };
}

function stepOf(dice: Dice, act: Act, after: number): Step {
  return { after, act, seed: dice.below(2 ** 31) };
}

/** Some steps come together, most while the one before is still under way, some when all is quiet. */
function gap(dice: Dice): number {
  return dice.weigh([2, () => 0], [4, () => dice.between(1, 4)], [2, () => dice.between(5, 25)]);
}

function anyOf<Name extends Act>(dice: Dice, weights: Readonly<Record<Name, number>>): Name {
  const choices = (Object.entries(weights) as [Name, number][]).map(
    ([name, weight]) => [weight, () => name] as const,
  );
  return dice.weigh<Name>(...choices);
}
