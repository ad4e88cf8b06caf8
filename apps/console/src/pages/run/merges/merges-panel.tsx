import { useState } from 'react';
import { LookBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../../ui/states.tsx';
import { Ago } from '../../../ui/times.tsx';
import { MergeCard } from './merge-card.tsx';
import type { JudgedView } from './merge-view.ts';
import { MomentLink } from './moment-link.tsx';
import { CriticDetail } from './stage-details.tsx';
import { useHostFindings, useMerges } from './use-merges.ts';

/** How many handoffs are shown at first, and added each time. */
const AT_ONCE = 20;

/** The merge gate of each handoff of a run. */
export function MergesPanel({ runId }: { readonly runId: string }) {
  const { data, error, refetch } = useMerges(runId);
  const gated = data?.merges.filter((merge) => merge.gated) ?? [];
  const findings = useHostFindings(runId, gated.filter(({ settled }) => settled !== undefined).length);
  const [shown, setShown] = useState(AT_ONCE);
  if (data === undefined)
    return error === null ? <Skeleton rows={8} /> : <ErrorState error={error} retry={refetch} />;
  const { merges, judged, definition } = data;
  if (merges.length === 0 && judged.length === 0) {
    return (
      <EmptyState title="No handoffs yet">
        A handoff appears here when a node gives work to a child run. Its merge gate shows the checksum of the
        outputs, the verdict of a critic, the decision of a person, and the values that entered this run.
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-4 min-w-0">
      <p className="text-sm text-muted max-w-prose">
        {merges.length === 1 ? '1 handoff' : `${merges.length} handoffs`}, {gated.length} with a merge gate.
        Nothing of a child run enters this run until every stage of its gate has let it through.
      </p>
      {merges.slice(0, shown).map((merge) => (
        <MergeCard
          key={merge.childRunId}
          runId={runId}
          merge={merge}
          definition={definition}
          finding={findings.data?.attestations.find(({ childRunId }) => childRunId === merge.childRunId)}
        />
      ))}
      {merges.length > shown && (
        <Button onClick={() => setShown(shown + AT_ONCE)} className="self-center">
          Show {Math.min(AT_ONCE, merges.length - shown)} more of {merges.length - shown}
        </Button>
      )}
      <JudgedList runId={runId} judged={judged} />
    </div>
  );
}

const LOOK_OF_VERDICT = { pass: 'completed', fail: 'failed', revise: 'paused' } as const;
const MOST = 100;

/** Verdicts about decisions of agents and results of tools: they pass a critic before they are used. */
function JudgedList({ runId, judged }: { readonly runId: string; readonly judged: readonly JudgedView[] }) {
  if (judged.length === 0) return null;
  return (
    <Card title="Judged decisions and tool results" flush>
      <ul className="divide-y divide-line">
        {judged.slice(0, MOST).map(({ target, nodeId, critic }) => (
          <li
            key={target}
            className="px-4 py-3 grid md:grid-cols-[minmax(0,1fr)_minmax(0,1fr)] gap-x-4 gap-y-2"
          >
            <div className="min-w-0 text-sm flex flex-col gap-1 items-start">
              <LookBadge
                look={critic.verdict === undefined ? 'waiting' : LOOK_OF_VERDICT[critic.verdict.verdict]}
              >
                {critic.verdict?.verdict ?? 'being judged'}
              </LookBadge>
              <p className="break-all">
                <Target runId={runId} target={target} /> of node{' '}
                <bdi className="font-mono text-xs">{nodeId}</bdi>
              </p>
              {critic.verdict !== undefined && (
                <p className="text-xs text-muted flex gap-1.5">
                  <Ago at={critic.verdict.at} />
                  <MomentLink runId={runId} sequence={critic.verdict.sequence} />
                </p>
              )}
            </div>
            <CriticDetail critic={critic} />
          </li>
        ))}
      </ul>
      {judged.length > MOST && (
        <p className="px-4 py-3 text-sm text-muted border-t border-line">
          {judged.length - MOST} more are in the log, as events of the type agent.verified.
        </p>
      )}
    </Card>
  );
}

/** The target of a verdict is the id of an event (a decision) or the id of a tool call. */
function Target({ runId, target }: { readonly runId: string; readonly target: string }) {
  const sequence = target.startsWith(`${runId}:`) ? Number(target.slice(runId.length + 1)) : Number.NaN;
  if (!Number.isSafeInteger(sequence))
    return (
      <>
        Result of the tool call <bdi className="font-mono text-xs">{target}</bdi>
      </>
    );
  return (
    <>
      Decision (<MomentLink runId={runId} sequence={sequence} />)
    </>
  );
}
