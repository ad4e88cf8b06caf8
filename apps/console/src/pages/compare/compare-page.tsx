import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ArrowLeftRight, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { EventRows } from './event-rows.tsx';
import { FinalValues } from './final-values.tsx';
import { Outcome } from './outcome.tsx';
import { PickRun } from './pick-run.tsx';
import { type Comparison, readComparison } from './read-comparison.ts';
import { RunSide, type SideName } from './run-side.tsx';
import { costsOf } from './state-differences.ts';

/** Two runs side by side, from where they part. */
export function ComparePage() {
  const { runId, otherId } = useParams({ from: '/compare/$runId/$otherId' });
  const navigate = useNavigate();
  const [picking, setPicking] = useState<SideName>();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['comparison', runId, otherId],
    queryFn: ({ signal }) => readComparison(runId, otherId, signal),
    structuralSharing: false,
  });
  const go = (a: string, b: string) =>
    navigate({ to: '/compare/$runId/$otherId', params: { runId: a, otherId: b } });
  return (
    <Page
      title="Compare runs"
      description="Times and ids of runs are not compared: two runs are equal when the same things happened in them."
      actions={
        <>
          <Button icon={<ArrowLeftRight size={16} aria-hidden />} onClick={() => go(otherId, runId)}>
            Swap
          </Button>
          <Button icon={<RefreshCw size={16} aria-hidden />} busy={isFetching} onClick={() => refetch()}>
            Compare again
          </Button>
        </>
      }
    >
      {error !== null && (
        <>
          <ErrorState error={error} retry={refetch} />
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => setPicking('A')}>Choose another run A</Button>
            <Button onClick={() => setPicking('B')}>Choose another run B</Button>
          </div>
        </>
      )}
      {data === undefined && error === null && <Skeleton rows={10} />}
      {data !== undefined && error === null && <Compared comparison={data} onPick={setPicking} />}
      {picking !== undefined && (
        <PickRun
          onClose={() => setPicking(undefined)}
          onPick={(picked) => {
            setPicking(undefined);
            void (picking === 'A' ? go(picked, otherId) : go(runId, picked));
          }}
        />
      )}
    </Page>
  );
}

interface ComparedProps {
  readonly comparison: Comparison;
  readonly onPick: (side: SideName) => void;
}

function Compared({ comparison, onPick }: ComparedProps) {
  const { a, b, diff, rows, isCut } = comparison;
  const costs = costsOf(diff);
  return (
    <>
      <div className="grid md:grid-cols-2 gap-3">
        <RunSide side="A" run={a} cost={costs.a} onPick={() => onPick('A')} />
        <RunSide side="B" run={b} cost={costs.b} onPick={() => onPick('B')} />
      </div>
      <Outcome comparison={comparison} />
      {diff.divergedAtSeq !== null && (
        <EventRows
          key={`${a.runId} ${b.runId}`}
          rows={rows}
          runIds={[a.runId, b.runId]}
          common={diff.divergedAtSeq}
          isCut={isCut}
        />
      )}
      <FinalValues diff={diff} />
    </>
  );
}
