import { Link } from '@tanstack/react-router';
import { Badge, LookBadge } from '../../../ui/badge.tsx';
import { type MergeView, outcomeOf } from './merge-view.ts';
import { MergedValues } from './merged-values.tsx';
import { OUTCOME_LOOK, OUTCOME_WORDS, whyText } from './outcome-words.ts';
import { RemoteResult } from './remote-result.tsx';
import { StageSteps } from './stage-steps.tsx';
import type { HostFinding } from './use-merges.ts';
import { VerifyNow } from './verify-now.tsx';

interface MergeCardProps {
  readonly runId: string;
  readonly merge: MergeView;
  readonly definition: string | undefined;
  readonly finding: HostFinding | undefined;
}

/** One handoff: its stages, the values that entered the run, and its verification. */
export function MergeCard({ runId, merge, definition, finding }: MergeCardProps) {
  const outcome = outcomeOf(merge);
  return (
    <article
      className="bg-surface border border-line rounded-lg min-w-0"
      aria-label={`Handoff to ${merge.workerId}, attempt ${merge.attempt}`}
    >
      <header className="px-4 py-3 border-b border-line flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="min-w-0 break-words text-sm font-semibold">
          <bdi>{merge.workerId}</bdi>
        </h2>
        {merge.attempt > 1 && <Badge>attempt {merge.attempt}</Badge>}
        <LookBadge look={OUTCOME_LOOK[outcome]}>
          {merge.gated ? OUTCOME_WORDS[outcome] : 'No merge gate'}
        </LookBadge>
        <span className="text-xs text-muted md:ml-auto flex flex-wrap gap-x-3">
          <span>
            node <bdi className="font-mono">{merge.nodeId}</bdi>
          </span>
          <Link to="/runs/$runId" params={{ runId: merge.childRunId }} className="underline text-accent">
            Child run
          </Link>
        </span>
      </header>
      <div className="p-4 flex flex-col gap-4 min-w-0">
        <p className="text-sm">{whyText(merge)}</p>
        {merge.gated && <StageSteps runId={runId} merge={merge} />}
        <MergedValues merge={merge} finding={finding} />
        {finding?.remote !== undefined && <RemoteResult remote={finding.remote} />}
        {merge.gated && merge.ended?.status === 'completed' && (
          <VerifyNow runId={runId} merge={merge} definition={definition} finding={finding} />
        )}
      </div>
    </article>
  );
}
