import type { Command, Reply, Run, Store, StoreReads } from '@baton/engine';
import type { Family } from '../fuzz/workflow-generator.ts';
import type { Ledger } from './checks/ledger.ts';
import type { Plan } from './plan.ts';
import type { SimulatedPostgres } from './postgres/simulated-postgres.ts';
import type { SimulatedRestate } from './postgres/simulated-restate.ts';
import type { SimulatedHost } from './simulated-host.ts';
import type { Storage } from './storage.ts';
import type { Timeline } from './timeline.ts';

/** Everything that takes part in one simulation. */
export interface World {
  readonly plan: Plan;
  readonly family: Family;
  readonly time: Timeline;
  readonly storage: Storage;
  /** No fault touches these two. They are for the people of the simulation and for the checks. */
  readonly reads: StoreReads;
  readonly store: Store;
  readonly ledger: Ledger;
  /** The roots of the held trees. */
  readonly held: Set<string>;
  readonly hosts: readonly SimulatedHost[];
  /** Absent where the hosts share a SQLite store. */
  readonly postgres: SimulatedPostgres | undefined;
  /** Absent where hosts perform the effects that they intend. */
  readonly restate: SimulatedRestate | undefined;
  /** The pauses that were acknowledged, by their runs. */
  readonly pauses: Map<string, Run['phase']>;
  /** From now on nothing is done to the hosts. */
  faultsAreOver: boolean;
  readonly sent: Sent[];
  /** How many there were so far, to name the next. */
  readonly count: { lives: number; roots: number; keys: number };
  /** What was done and what came of it, one line each. */
  readonly trace: string[];
  /** What must never happen and did. */
  readonly problems: string[];
}

/** A command of a person, and what became of it. */
export interface Sent {
  readonly command: Command;
  /** The life of the host that it was sent to. */
  readonly life: number | undefined;
  /** How long the log of its run was when it was sent. */
  readonly headBefore: number;
  reply?: Reply;
}

export function tell({ trace, time }: Pick<World, 'trace' | 'time'>, line: string): void {
  trace.push(`${time.turn} ${line}`);
}

export function complain(world: Pick<World, 'problems' | 'trace' | 'time'>, problem: string): void {
  world.problems.push(problem);
  tell(world, `PROBLEM ${problem}`);
}

/** Ids of root runs follow from their number, and stand in the order of time as those of a real host. */
export function newRootId({ count }: Pick<World, 'count'>): string {
  count.roots += 1;
  return `00000000-0000-7000-8000-${String(count.roots).padStart(12, '0')}`;
}
