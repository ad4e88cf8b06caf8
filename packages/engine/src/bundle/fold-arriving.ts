import { FIRST_LINK, type RunEvent } from '@baton/protocol';
import { sha256 } from '../audit/sha256.ts';
import { evolve } from '../kernel/fold/evolve.ts';
import { adopt } from '../kernel/fold/evolve-fork.ts';
import { endStatus, type Run } from '../kernel/run.ts';
import { listedState } from '../listed-state.ts';
import { FOLD_VERSION } from '../ports/fold-version.ts';
import type { ForkPoint, ListedState, SavedState } from '../ports/store.ts';
import type { ArrivingRun } from './arriving-runs.ts';
import { refused } from './refused.ts';

/**
 * Folds the runs of a bundle, each event once. A log that cannot be folded, or that folds to another state
 * than the bundle claims, is refused. States on the way are saved as in the driver, so that reading the run
 * stays cheap.
 */
export interface FoldedRun {
  /** Takes the run's next event. */
  add(text: string): void;
  /** The link of the hash chain after the last added event. */
  link(): string;
  /** A state to save, when the events since the last saved state have become larger than it. */
  checkpoint(): SavedState | undefined;
  /** What the list of runs shows of the state after the last added event. */
  listed(): ListedState | undefined;
  /** Refuses a run whose state is not the one that its record claims. */
  finish(): void;
}

interface Moment {
  readonly state: Run;
  readonly link: string;
}

/** As in the driver: a state is saved when the events after the last one have become larger than it. */
const SMALLEST_TAIL = 64 * 1024;

/** The run that has the event before the cut of a fork, and the cut. */
interface CutPlace {
  readonly id: string;
  readonly at: number;
}

function ownerFinder(runs: readonly ArrivingRun[]): (run: ArrivingRun) => CutPlace | undefined {
  const byId = new Map(runs.map((one) => [one.record.runId, one]));
  return ({ record: { fork } }) => {
    if (fork === undefined || fork.fromSeq === 0) return undefined;
    let owner = byId.get(fork.sourceRunId);
    while (owner?.record.fork && fork.fromSeq < owner.record.fork.fromSeq) {
      owner = byId.get(owner.record.fork.sourceRunId);
    }
    if (owner === undefined) throw refused(`lacks run ${fork.sourceRunId}`);
    return { id: owner.record.runId, at: fork.fromSeq };
  };
}

export function foldArriving(runs: readonly ArrivingRun[], tenant: string): (run: ArrivingRun) => FoldedRun {
  /** For each run, the indexes at which forks of it begin, and the states at these indexes. */
  const cuts = new Map<string, Map<number, Moment | undefined>>();
  const ownerOf = ownerFinder(runs);
  for (const one of runs) {
    const owner = ownerOf(one);
    if (owner === undefined) continue;
    const wanted = cuts.get(owner.id) ?? new Map<number, Moment | undefined>();
    cuts.set(owner.id, wanted.set(owner.at, undefined));
  }

  return (one) => {
    const { record, run } = one;
    const wanted = cuts.get(record.runId);
    const from = record.fork?.fromSeq ?? 0;
    const point: ForkPoint | undefined = record.fork && {
      runId: record.runId,
      createdAt: record.createdAt,
      fork: record.fork,
      ...(record.parentRunId !== undefined && { parentRunId: record.parentRunId }),
    };
    const owner = ownerOf(one);
    const base = owner && cuts.get(owner.id)?.get(owner.at);
    if (owner !== undefined && base === undefined) throw refused(`lacks the source of run ${run.runId}`);
    let state: Run | undefined = base && point ? adopt(base.state, point) : undefined;
    let link = base?.link ?? FIRST_LINK;
    let tail = 0;
    let kept = 0;

    function keepMoment(): void {
      if (state !== undefined && wanted?.has(state.head)) wanted.set(state.head, { state, link });
    }
    keepMoment();

    return {
      add(text) {
        try {
          const event = JSON.parse(text) as RunEvent;
          state = evolve(state, event, Date.parse(event.timestamp));
          if (point && from === 0 && state.head === 1) state = adopt(state, point);
        } catch {
          throw refused(`holds a log of run ${run.runId} that cannot be folded`);
        }
        link = sha256(link + text);
        tail += text.length;
        keepMoment();
      },
      link: () => link,
      checkpoint() {
        if (state === undefined || tail < Math.max(SMALLEST_TAIL, kept)) return undefined;
        const text = JSON.stringify({ ...state, tenant });
        tail = 0;
        kept = text.length;
        return { sequence: state.head, foldVersion: FOLD_VERSION, state: text, chain: link };
      },
      listed: () => state && listedState(state),
      finish() {
        // The run shares all its events with its own source, so it has none to check.
        if (one.texts.length === 0 && run.part === 'source') return;
        const head = from + one.texts.length;
        if (state?.runId !== record.runId || state.head !== head || state.workflowId !== record.workflowId) {
          throw refused(`holds a log of run ${run.runId} that belongs to another run`);
        }
        if (run.part === 'source') return;
        if (endStatus(state) !== run.status || state.parent?.runId !== record.parentRunId) {
          throw refused(`holds a log of run ${run.runId} that does not end with the claimed status`);
        }
      },
    };
  };
}
