import { StatusBadge } from '../../ui/badge.tsx';
import { DurationText, ReasonText, StartedText, UsageText } from './run-facts.tsx';
import { RunLink } from './run-link.tsx';
import type { Window } from './runs-list.tsx';

/** The runs in view as cards, where the page is too narrow for a table. */
export function RunCards({ rows, before, after, now, active, onActive, measure }: Window) {
  return (
    <ul aria-label="Runs" style={{ paddingTop: before, paddingBottom: after }}>
      {rows.map(({ run, index }) => (
        <li
          key={run.runId}
          ref={measure}
          data-index={index}
          className="relative border-b border-line p-3 flex flex-col gap-1.5"
        >
          <div className="flex items-start justify-between gap-3 min-w-0">
            <RunLink run={run} reachable={run.runId === active} onFocus={() => onActive(run.runId)} />
            <StatusBadge status={run.status} />
          </div>
          <div className="text-xs leading-4 line-clamp-2 break-words min-w-0 empty:hidden">
            <ReasonText run={run} now={now} />
          </div>
          <div className="flex gap-3 text-xs text-muted whitespace-nowrap overflow-hidden">
            <DurationText run={run} now={now} />
            {run.turn !== undefined && <span>turn {run.turn}</span>}
            <UsageText run={run} />
            <span className="ml-auto">
              <StartedText run={run} now={now} />
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}
