import type { RunDiff } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ArrowLeftRight, CircleCheck, GitFork, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { classes } from '../../ui/class-names.ts';
import { Page } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { ChangeMark, comparedWord, ValueChangesView } from '../../ui/value-changes.tsx';
import { EventRows } from './event-rows.tsx';
import { outcomeText } from './outcome-text.ts';
import { PickRun } from './pick-run.tsx';
import { type Comparison, readComparison } from './read-comparison.ts';
import { RunSide, SIDES, type SideName } from './run-side.tsx';
import { COMPARED, type ComparedPart, costsOf, type Difference, differencesOf } from './state-differences.ts';

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

const TITLES: Readonly<Record<ComparedPart, string>> = {
  variables: 'Variables',
  channels: 'Channels',
  memory: 'Memory',
};

const MOST = 100;

/** How the states of the two runs differ at the end of their logs. */
export function FinalValues({ diff }: { readonly diff: RunDiff }) {
  const parts = COMPARED.map((part) => [part, differencesOf(diff, part)] as const);
  const some = parts.filter(([, differences]) => differences.length > 0);
  return (
    <Card title="Values at the end">
      {some.length === 0 && (
        <p className="text-sm">The variables, channels and memory of both runs are equal.</p>
      )}
      <div className="flex flex-col gap-5">
        {some.map(([part, differences]) => (
          <section key={part} className="flex flex-col gap-3 min-w-0">
            <h3>{TITLES[part]}</h3>
            <ul className="flex flex-col gap-3">
              {differences.slice(0, MOST).map((difference) => (
                <Differing key={difference.name} difference={difference} />
              ))}
            </ul>
            {differences.length > MOST && (
              <p className="text-sm text-muted">{differences.length - MOST} more are different.</p>
            )}
          </section>
        ))}
      </div>
    </Card>
  );
}

function Differing({ difference: { name, a, b } }: { readonly difference: Difference }) {
  const kind = a === undefined ? 'added' : b === undefined ? 'removed' : 'changed';
  return (
    <li className="min-w-0 flex flex-col gap-1">
      <p className="flex flex-wrap items-center gap-2">
        <bdi className="font-mono text-xs break-all">{name}</bdi>
        <ChangeMark kind={kind} word={comparedWord(kind, SIDES)} />
      </p>
      <ValueChangesView before={a} after={b} sides={SIDES} most={10} />
    </li>
  );
}

/** The result of the comparison in one sentence. */
export function Outcome({ comparison }: { readonly comparison: Comparison }) {
  const isEqual = comparison.diff.divergedAtSeq === null;
  const Icon = isEqual ? CircleCheck : GitFork;
  return (
    <p
      role="status"
      className={classes(
        'flex items-start gap-2 rounded-lg border p-4 text-sm font-medium',
        isEqual
          ? 'border-status-completed bg-status-completed-ground text-status-completed'
          : 'border-line bg-surface text-text',
      )}
    >
      <Icon size={18} aria-hidden className="shrink-0 mt-0.5" />
      <span>{outcomeText(comparison)}</span>
    </p>
  );
}
