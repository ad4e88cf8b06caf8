import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Card } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { LiveNow } from './header/live-now.tsx';
import { EventInspector } from './log/event-inspector.tsx';
import { EventLog } from './log/event-log.tsx';
import type { LogFilter } from './model/filter.ts';
import { MomentState } from './slider/moment-state.tsx';
import { Timeline } from './timeline/timeline.tsx';

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
