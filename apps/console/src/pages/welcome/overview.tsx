import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { RunRow } from '../../api/runs/run-row.ts';
import { latestRunsQuery } from '../../api/runs/runs-queries.ts';
import { inboxQuery } from '../../layout/inbox-count.ts';
import { useMay } from '../../session/session.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Ago, useNow } from '../../ui/times.tsx';
import { Deadline } from '../inbox/deadline.tsx';
import { questionKey } from '../inbox/question.ts';
import { DurationText, ReasonText, StartedText } from '../runs/run-facts.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { StartDialog } from '../runs/start/start-dialog.tsx';

const SHOWN = 6;

/** A host with runs: what waits for a person, what runs now, and what ran last. */
export function Overview({ latest }: { readonly latest: readonly RunRow[] }) {
  const may = useMay();
  const [starting, setStarting] = useState(false);
  return (
    <Page
      title="Overview"
      actions={
        may('runs:create') && (
          <Button kind="primary" icon={<Play size={15} aria-hidden />} onClick={() => setStarting(true)}>
            Start a run
          </Button>
        )
      }
    >
      <div className="grid gap-4 xl:grid-cols-2 items-start">
        <Waiting />
        <RunningNow />
      </div>
      <RunCard title="Latest runs" runs={latest} more={<Link to="/runs">All runs</Link>} empty="" />
      {starting && <StartDialog onClose={() => setStarting(false)} />}
    </Page>
  );
}

function Waiting() {
  const waiting = useQuery(inboxQuery).data;
  return (
    <Card
      flush
      title={
        <>
          Waits for a person
          {waiting !== undefined && waiting.length > 0 && (
            <span className="text-muted font-normal"> · {waiting.length}</span>
          )}
        </>
      }
      actions={<More>{<Link to="/inbox">Inbox</Link>}</More>}
    >
      {waiting === undefined ? (
        <Skeleton rows={3} />
      ) : waiting.length === 0 ? (
        <p className="p-4 text-sm text-muted">Nothing waits for you.</p>
      ) : (
        <ul>
          {waiting.slice(0, SHOWN).map((one) => (
            <li key={questionKey(one)} className="border-b border-line last:border-b-0">
              <Link
                to="/inbox"
                search={{ open: questionKey(one) }}
                className="block px-4 py-2.5 hover:bg-sunken -outline-offset-2"
              >
                <span className="block text-sm font-medium truncate">
                  <bdi>{one.title}</bdi>
                </span>
                <span className="flex items-center justify-between gap-3 text-xs text-muted">
                  <span className="truncate">
                    <bdi>{one.workflowId}</bdi> · <Ago at={one.requestedAt} />
                  </span>
                  {one.expiresAt !== undefined && <Deadline at={one.expiresAt} />}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function RunningNow() {
  const running = useQuery(latestRunsQuery({ roots: true, statuses: ['running', 'pending'] }, SHOWN)).data;
  return (
    <RunCard
      title="Running now"
      runs={running}
      empty="Nothing runs at the moment."
      more={
        <Link to="/runs" search={{ status: 'running' }}>
          All running
        </Link>
      }
    />
  );
}

function More({ children }: { readonly children: ReactNode }) {
  return <span className="text-sm text-accent [&_a]:underline">{children}</span>;
}

interface RunCardProps {
  readonly title: string;
  readonly runs: readonly RunRow[] | undefined;
  readonly more: ReactNode;
  readonly empty: string;
}

function RunCard({ title, runs, more, empty }: RunCardProps) {
  const now = useNow();
  return (
    <Card flush title={title} actions={<More>{more}</More>}>
      {runs === undefined ? (
        <Skeleton rows={3} />
      ) : runs.length === 0 ? (
        <p className="p-4 text-sm text-muted">{empty}</p>
      ) : (
        <ul>
          {runs.map((run) => (
            <li
              key={run.runId}
              className="relative border-b border-line last:border-b-0 px-4 py-2.5 hover:bg-sunken grid gap-x-4 gap-y-1 items-center grid-cols-[minmax(0,1fr)_auto] lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto_5.5rem_5.5rem]"
            >
              <RunLink run={run} reachable onFocus={() => undefined} />
              <div className="text-xs line-clamp-2 max-lg:hidden">
                <ReasonText run={run} now={now} />
              </div>
              <StatusBadge status={run.status} />
              <span className="text-sm lg:text-right">
                <DurationText run={run} now={now} />
              </span>
              <span className="text-sm text-muted text-right">
                <StartedText run={run} now={now} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
