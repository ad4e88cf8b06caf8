import type { RunSnapshot } from '@baton/client';
import { Link } from '@tanstack/react-router';
import { costText, countText, shortCount } from '../../ui/amounts.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyText, shortId } from '../../ui/copy.tsx';
import { Ago } from '../../ui/times.tsx';
import { forkOf } from '../run/header/run-query.ts';
import type { CostOfRun } from './state-differences.ts';

export const SIDES = ['A', 'B'] as const;
export type SideName = (typeof SIDES)[number];

interface RunSideProps {
  readonly side: SideName;
  readonly run: RunSnapshot;
  readonly cost: CostOfRun | undefined;
  readonly onPick: () => void;
}

/** One of the two runs: which it is, how it stands, and what it used. */
export function RunSide({ side, run, cost, onPick }: RunSideProps) {
  const fork = forkOf(run);
  return (
    <section
      className="bg-surface border border-line rounded-lg p-4 min-w-0 flex flex-col gap-2"
      aria-label={`Run ${side}`}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 min-w-0">
        <SideMark side={side} />
        <h2 className="min-w-0 break-words">
          <Link to="/runs/$runId" params={{ runId: run.runId }} className="hover:underline">
            <bdi>{run.workflowId}</bdi>
          </Link>
        </h2>
        <StatusBadge status={run.status} />
        <Button kind="quiet" className="ml-auto" onClick={onPick}>
          Choose another
        </Button>
      </div>
      <p className="text-sm text-muted flex flex-wrap gap-x-3 gap-y-1">
        <CopyText text={run.runId} shown={shortId(run.runId)} label="id of the run" />
        <span>{countText(run.lastSequence + 1)} events</span>
        <span>
          started <Ago at={run.startedAt} />
        </span>
        {cost !== undefined && cost.inputTokens + cost.outputTokens > 0 && (
          <span>
            {shortCount(cost.inputTokens + cost.outputTokens)} tokens
            {cost.usd > 0 && `, ${costText(cost.usd)}`}
          </span>
        )}
        {fork !== undefined && (
          <span>
            {fork.mode} of{' '}
            <Link
              to="/runs/$runId"
              params={{ runId: fork.sourceRunId }}
              className="underline font-mono text-xs"
            >
              {shortId(fork.sourceRunId)}
            </Link>{' '}
            before event {fork.fromSeq}
          </span>
        )}
      </p>
    </section>
  );
}

/** The letter by which the page names a run. */
function SideMark({ side }: { readonly side: SideName }) {
  return (
    <span className="shrink-0 grid place-items-center size-6 rounded bg-accent-ground text-accent text-sm font-semibold">
      {side}
    </span>
  );
}
