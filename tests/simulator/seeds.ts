import type { Mode } from './plan.ts';

/** A seed whose simulation failed until a defect was repaired. */
interface TellingSeed {
  readonly seed: number;
  readonly mode: Mode;
  /** The defect that the simulation has found. */
  readonly found: string;
}

/**
 * Seeds that once found a defect. They stay useful only while their plans stay the same, so every defect has a test of
 * its own, too.
 */
export const SEEDS_THAT_FOUND_DEFECTS: readonly TellingSeed[] = [
  {
    seed: 1881888933,
    mode: 'sqlite',
    found:
      'A replay diverged where somebody had asked about a question of a child, after a node of the parent had started ' +
      'and before the look-up of this node was answered.',
  },
  {
    seed: 14116513,
    mode: 'sqlite',
    found:
      'A replay of a run that had not ended stood still at the end of the log of its source, because the child that ' +
      'had asked a model again was the only run on its agenda and was no longer in memory.',
  },
];
