import { type Dice, diceOf, seedOf } from '../fuzz/random-choice.ts';
import { type Family, familyOf } from '../fuzz/workflow-generator.ts';

/** The workflows of the simulations: random ones, and some that bring about what random ones seldom do. */

/** How long the waits of workflows are at most, in milliseconds. */
export const WAIT = 1000;
/** Simulations of so many seeds in a row share their workflows, which take long to register. */
const SEEDS_PER_FAMILY = 50;

export function familyNumber(seed: number): number {
  return Math.floor(seed / SEEDS_PER_FAMILY);
}

export function familyOfNumber(number: number): Family {
  const dice = diceOf(seedOf(0xfa_117, number));
  const family = familyOf(dice, { wait: WAIT });
  const made = [gated(dice), stubborn(dice), nested(dice), patient(dice)];
  return { ...family, definitions: [...family.definitions, ...made] };
}

export const GATED = 'gated';
export const STUBBORN = 'stubborn';
export const NESTED = 'nested';
export const PATIENT = 'patient';

/** Brings outputs to a merge gate. */
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

/**
 * Has several effects under way, and tries them again when they fail or take long, so that the outcome of an
 * earlier attempt may come late.
 */
function stubborn(dice: Dice): Record<string, unknown> {
  const effect = (id: string) => ({
    id,
    typeId: 'core.conformance.side-effect',
    config: dice.some(0.4, {
      times: dice.between(1, 3),
      atOnce: dice.between(1, 2),
      tries: dice.between(2, 3),
    }),
    settings: {
      timeoutMs: dice.between(1, 20),
      retry: { maxRetries: dice.between(2, 5), backoffMs: dice.pick([0, 1, 30]) },
    },
  });
  return {
    id: STUBBORN,
    nodes: [effect('first'), effect('second')],
    edges: dice.chance(0.5) ? [{ sourceNodeId: 'first', targetNodeId: 'second' }] : [],
  };
}

/**
 * Has effects that are tried again after a while, because their nodes wait long enough, so that several hosts may make
 * the tries of one effect.
 */
function patient(dice: Dice): Record<string, unknown> {
  const effect = (id: string) => ({
    id,
    typeId: 'core.conformance.side-effect',
    config: { times: dice.between(1, 3), atOnce: dice.between(1, 2), tries: dice.between(2, 4) },
    settings: dice.some(0.5, { timeoutMs: dice.between(WAIT / 2, 2 * WAIT) }),
  });
  return { id: PATIENT, nodes: [effect('first'), effect('second')] };
}

/** Has runs under way on two levels below it, some of which outlive it. */
function nested(dice: Dice): Record<string, unknown> {
  const child = (id: string, workflowId: string, more = {}) => ({
    id,
    typeId: 'core.subWorkflow',
    config: { workflowId, ...more },
  });
  return {
    id: NESTED,
    nodes: [
      child('tries', STUBBORN),
      child('checks', GATED),
      child('goes-on', 'leaf-0', dice.some(0.5, { propagateCancellation: false })),
      child('alone', 'leaf-1', dice.some(0.5, { waitForCompletion: false })),
    ],
  };
}
