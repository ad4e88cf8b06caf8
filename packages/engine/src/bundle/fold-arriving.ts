import { type RunEvent, FIRST_LINK } from '@baton/protocol';
import { sha256 } from '../audit/sha256.ts';
import { evolve } from '../kernel/fold/evolve.ts';
import { adopt } from '../kernel/fold/evolve-fork.ts';
import { FOLD_VERSION } from '../ports/fold-version.ts';
import { endStatus, type Run } from '../kernel/run.ts';
import type { Checkpoint, ForkPoint } from '../ports/store.ts';
import type { ArrivingRun } from './arriving-runs.ts';
import { refused } from './refused.ts';

/**
 * Folds the runs of a bundle, each event once. What nobody can fold, or what folds to something else than it claims,
 * would be of no use here; and the states on the way are kept as a host keeps them, so that reading stays cheap.
 */
export interface FoldedRun {
  /** Takes the run's next event. */
  add(text: string): void;
  /** The chain's link after what was added. */
  link(): string;
  /** A folded state to keep, when the events since the last one have outgrown it. */
  checkpoint(): Checkpoint | undefined;
  /** Refuses a run that did not come to what it says. */
  finish(): void;
}

interface Moment {
  readonly state: Run;
  readonly link: string;
}

/** As in the driver: a checkpoint is due when the tail has outgrown it. */
const SMALLEST_TAIL = 64 * 1024;

export function foldArriving(runs: readonly ArrivingRun[], tenant: string): (run: ArrivingRun) => FoldedRun {
  const byId = new Map(runs.map((one) => [one.record.runId, one]));
  /** What forks go on from: for each run, the indexes that one of them needs. */
  const cuts = new Map<string, Map<number, Moment | undefined>>();
  const ownerOf = ({ record }: ArrivingRun): { readonly id: string; readonly at: number } | undefined => {
    const { fork } = record;
    if (fork === undefined || fork.fromSeq === 0) return undefined;
    let owner = byId.get(fork.sourceRunId);
    while (owner?.record.fork && fork.fromSeq < owner.record.fork.fromSeq) {
      owner = byId.get(owner.record.fork.sourceRunId);
    }
    if (owner === undefined) throw refused(`lacks run ${fork.sourceRunId}`);
    return { id: owner.record.runId, at: fork.fromSeq };
  };
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
    if (owner !== undefined && base === undefined)
      throw refused(`lacks what run ${run.runId} was forked from`);
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
          throw refused(`holds a log of run ${run.runId} that makes no sense`);
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
      finish() {
        // Shared up to where it was itself forked: it says nothing of its own.
        if (one.texts.length === 0 && run.part === 'source') return;
        const head = from + one.texts.length;
        if (state?.runId !== record.runId || state.head !== head || state.workflowId !== record.workflowId) {
          throw refused(`holds a log of run ${run.runId} that is of another run`);
        }
        if (run.part === 'source') return;
        if (endStatus(state) !== run.status || state.parent?.runId !== record.parentRunId) {
          throw refused(`holds a log of run ${run.runId} that does not end as it says`);
        }
      },
    };
  };
}
