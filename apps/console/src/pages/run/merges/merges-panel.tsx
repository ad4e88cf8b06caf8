import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../../ui/states.tsx';
import { JudgedList } from './judged-list.tsx';
import { MergeCard } from './merge-card.tsx';
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
