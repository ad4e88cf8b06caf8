import type { EngineOptions } from '@baton/engine';
import { type Dice, diceOf, seedOf } from '../fuzz/random-choice.ts';
import { type Family, familyOf } from '../fuzz/workflow-generator.ts';

/**
 * What is done to the hosts in one simulation, decided beforehand by the seed. Every step has a seed of its
 * own, so that a step does the same when others are removed.
 */
export interface Plan {
  readonly seed: number;
  readonly hosts: 1 | 2;
  readonly share: NonNullable<EngineOptions['share']>;
  /** Whether every slice is folded again from its bytes. */
  readonly refolds: boolean;
  readonly steps: readonly Step[];
}

export interface Step {
  /** Turns since the step before. */
  readonly after: number;
  readonly act: Act;
  readonly seed: number;
}

const COMMANDS = {
  create: 4,
  answer: 12,
  cancel: 1.5,
  'cancel-child': 2,
  pause: 2,
  resume: 3,
  branch: 1.5,
  replay: 0.7,
  retry: 1,
  again: 3,
  register: 0.7,
  file: 0.7,
  time: 9,
} as const;

const FAULTS = {
  crash: 1.5,
  'crash-before-commit': 2,
  'crash-after-commit': 2,
  conflict: 2,
  slow: 4,
  full: 0.7,
  freeze: 1.5,
} as const;

export type Act = keyof typeof COMMANDS | keyof typeof FAULTS;

/** Simulations of so many seeds in a row share their workflows, which take long to register. */
const SEEDS_PER_FAMILY = 32;
/** How long the waits of workflows are at most, in milliseconds. */
export const WAIT = 1000;
export const TENANTS = ['acme', 'bolt'] as const;

export function familyNumber(seed: number): number {
  return Math.floor(seed / SEEDS_PER_FAMILY);
}

export function familyOfNumber(number: number): Family {
  const dice = diceOf(seedOf(0xfa_117, number));
  const family = familyOf(dice, { wait: WAIT });
  return { ...family, definitions: [...family.definitions, gated(dice)] };
}

export const GATED = 'gated';

/** Random workflows seldom bring outputs to a merge gate, so there is one that does nothing else. */
function gated(dice: Dice): Record<string, unknown> {
  const requireApproval = dice.chance(0.6);
  const config = { workflowId: 'critic-pass', outputMapping: { taken: 'verdict' } };
  const settings = {
    outputAttestation: { checksum: true, requireApproval },
    ...(!requireApproval || dice.chance(0.5)
      ? { verifier: { workflowId: dice.pick(['critic-odd', 'critic-odd', 'critic-doubt']) } }
      : {}),
  };
  return {
    id: GATED,
    nodes: [{ id: 'work', typeId: 'core.subWorkflow', config, settings }],
    variables: [{ name: 'taken', type: 'string' }],
  };
}

export function planOf(seed: number): Plan {
  const dice = diceOf(seedOf(0x51_b, seed));
  const isCalm = dice.chance(0.1);
  const first = Array.from({ length: dice.between(1, 2) }, () => stepOf(dice, 'create', 0));
  const rest = Array.from({ length: dice.between(4, 24) }, () =>
    stepOf(dice, isCalm || dice.chance(0.7) ? anyOf(dice, COMMANDS) : anyOf(dice, FAULTS), gap(dice)),
  );
  return {
    seed,
    hosts: dice.chance(0.3) ? 2 : 1,
    share: {
      events: dice.pick([1, 3, 20, 256]),
      bytes: 256 * 1024,
      ms: Number.POSITIVE_INFINITY,
    },
    refolds: dice.chance(0.2),
    steps: [...first, ...rest],
  };
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
