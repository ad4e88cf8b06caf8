import type { RunSnapshot } from '@baton/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { GitBranch } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { RunView } from '../../search.ts';
import { useMay } from '../../session/session.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyText, shortId } from '../../ui/copy.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorState, Skeleton, Unloaded } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useMomentInAddress } from './follow/moment-in-address.ts';
import { RunFollower, useAtMoment, useTree } from './follow/run-context.tsx';
import { ForkDialog } from './fork/fork-dialog.tsx';
import { LiveNow } from './header/live-now.tsx';
import { RunActions } from './header/run-actions.tsx';
import { RunFacts } from './header/run-facts.tsx';
import { FailureNote, HeldNote, WaitingNote } from './header/run-notes.tsx';
import { forkOf, useRunSnapshot } from './header/run-query.ts';
import { EventInspector } from './log/event-inspector.tsx';
import { EventLog } from './log/event-log.tsx';
import { MergesPanel } from './merges/merges-panel.tsx';
import { sequenceAt } from './model/at.ts';
import type { LogFilter } from './model/filter.ts';
import { MomentState } from './slider/moment-state.tsx';
import { TimeSlider } from './slider/time-slider.tsx';
import { Timeline } from './timeline/timeline.tsx';

export function RunPage() {
  const { runId } = useParams({ from: '/runs/$runId' });
  return (
    <RunFollower key={runId} runId={runId}>
      <RunContent runId={runId} />
    </RunFollower>
  );
}

function RunContent({ runId }: { readonly runId: string }) {
  const run = useRunSnapshot(runId);
  useMomentInAddress();
  if (run.data === undefined) {
    return (
      <Page title="Run">
        <Unloaded query={run} rows={8} />
      </Page>
    );
  }
  return (
    <Page
      title={run.data.workflowId}
      heading={<Heading run={run.data} />}
      actions={<RunActions run={run.data} />}
    >
      <Origin run={run.data} />
      <FailureNote run={run.data} />
      <HeldNote run={run.data} />
      <WaitingNote run={run.data} />
      <RunFacts run={run.data} />
      <StreamFault />
      <TimeSlider actions={<ForkButton run={run.data} />} />
      <Views runId={runId} />
    </Page>
  );
}

function Heading({ run }: { readonly run: RunSnapshot }) {
  return (
    <>
      <bdi className="break-all">{run.workflowId}</bdi>
      <StatusBadge status={run.status} />
      <CopyText text={run.runId} shown={shortId(run.runId)} label="run id" />
    </>
  );
}

/** Where the run comes from, and its tags. */
function Origin({ run }: { readonly run: RunSnapshot }) {
  const fork = forkOf(run);
  const tags = run.tags ?? [];
  if (fork === undefined && run.parentRunId === undefined && tags.length === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted -mt-2">
      {run.parentRunId !== undefined && (
        <span>
          Started by <RunLink runId={run.parentRunId} />
        </span>
      )}
      {fork !== undefined && (
        <span>
          {fork.mode === 'replay' ? 'Replay' : 'Branch'} of{' '}
          <RunLink runId={fork.sourceRunId} at={fork.fromSeq} /> before event {fork.fromSeq}
        </span>
      )}
      {tags.map((tag) => (
        <Badge key={tag}>
          <bdi>{tag}</bdi>
        </Badge>
      ))}
    </p>
  );
}

function RunLink({ runId, at }: { readonly runId: string; readonly at?: number }) {
  return (
    <Link
      to="/runs/$runId"
      params={{ runId }}
      search={at === undefined ? {} : { at }}
      className="font-mono text-xs text-accent underline"
    >
      {shortId(runId)}
    </Link>
  );
}

/** The events stopped coming. What has come so far stays. */
function StreamFault() {
  const { following } = useTree();
  return following.kind === 'failed' ? (
    <ErrorState error={following.error} retry={() => window.location.reload()} />
  ) : null;
}

/** A fork begins with the state that the page shows: the one after the event of the moment. */
function ForkButton({ run }: { readonly run: RunSnapshot }) {
  const may = useMay();
  const [open, setOpen] = useState(false);
  const sequence = useAtMoment((tree, position) => {
    const root = tree.runs.get(tree.rootId);
    return root === undefined ? undefined : sequenceAt(root, position);
  });
  if (!may('runs:create') || sequence === undefined) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)} icon={<GitBranch size={15} aria-hidden />}>
        <span>
          Fork<span className="sr-only sm:not-sr-only"> from here</span>
        </span>
      </Button>
      <ForkDialog runId={run.runId} at={sequence + 1} open={open} onClose={() => setOpen(false)} />
    </>
  );
}

function Views({ runId }: { readonly runId: string }) {
  const { view = 'overview' } = useSearch({ from: '/runs/$runId' });
  const navigate = useNavigate({ from: '/runs/$runId' });
  const select = (next: RunView): void =>
    void navigate({ search: (before) => ({ ...before, view: next }), resetScroll: false });
  return (
    <Tabs
      label="Views of the run"
      selected={view}
      onSelect={select}
      tabs={[
        { name: 'overview', label: 'Overview', content: () => <Overview /> },
        { name: 'merges', label: 'Merge gate', content: () => <MergesPanel runId={runId} /> },
        { name: 'state', label: 'State', content: () => <MomentState /> },
      ]}
    />
  );
}

const GraphPanel = lazy(async () => ({ default: (await import('./graph/graph-panel.tsx')).GraphPanel }));

const EVERYTHING: LogFilter = {};

/** The graph, the timeline and the log: three views of the same moment. */
export function Overview() {
  const [filter, setFilter] = useState<LogFilter>(EVERYTHING);
  const [beside, setBeside] = useState<'event' | 'state'>('event');
  return (
    <div className="flex flex-col gap-4 min-w-0">
      <LiveNow />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] min-w-0">
        <Suspense
          fallback={
            <Card title="Graph">
              <Skeleton />
            </Card>
          }
        >
          <GraphPanel />
        </Suspense>
        <section
          aria-label="At this moment"
          className="bg-surface border border-line rounded-lg px-4 pt-1 min-w-0"
        >
          <Tabs
            label="At this moment"
            selected={beside}
            onSelect={setBeside}
            tabs={[
              {
                name: 'event',
                label: 'Event',
                content: () => (
                  <Scrolling>
                    <EventInspector />
                  </Scrolling>
                ),
              },
              {
                name: 'state',
                label: 'State',
                content: () => (
                  <Scrolling>
                    <MomentState />
                  </Scrolling>
                ),
              },
            ]}
          />
        </section>
      </div>
      <Timeline filter={filter} onFilter={setFilter} />
      <EventLog filter={filter} onFilter={setFilter} />
    </div>
  );
}

function Scrolling({ children }: { readonly children: ReactNode }) {
  return (
    <section
      className="h-[25rem] overflow-y-auto pb-4 -mx-4 px-4 -outline-offset-2"
      aria-label="Details"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard.
      tabIndex={0}
    >
      {children}
    </section>
  );
}
