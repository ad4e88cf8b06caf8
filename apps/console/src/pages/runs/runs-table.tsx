import { memo } from 'react';
import type { RunRow } from '../../api/runs/run-row.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { DurationText, ReasonText, StartedText, Tags, UsageText } from './run-facts.tsx';
import { RunLink } from './run-link.tsx';
import { ROW_HEIGHT, type Window } from './runs-list.tsx';

const COLUMNS: readonly (readonly [name: string, width: string])[] = [
  ['Status', 'w-48'],
  ['Run', 'w-[28%]'],
  ['Turn', 'w-16 text-right'],
  ['Reason', ''],
  ['Tokens and cost', 'w-40 text-right'],
  ['Duration', 'w-28 text-right'],
  ['Started', 'w-28 text-right'],
];

const CELL = 'px-3 border-b border-line align-middle';

/** The runs in view as a table. Rows without content stand for those before and after. */
export function RunsTable({ rows, before, after, count, now, active, onActive }: Window) {
  return (
    <table
      className="w-full text-sm table-fixed border-separate border-spacing-0"
      aria-label="Runs"
      aria-rowcount={count < 0 ? -1 : count + 1}
    >
      <thead>
        <tr>
          {COLUMNS.map(([name, width]) => (
            <th
              key={name}
              scope="col"
              className={`sticky top-0 z-10 bg-surface text-left font-medium text-xs text-muted px-3 py-2.5 border-b border-line ${width}`}
            >
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <Space height={before} />
        {rows.map(({ run, index }) => (
          <Row
            key={run.runId}
            run={run}
            index={index}
            now={now}
            isActive={run.runId === active}
            onActive={onActive}
          />
        ))}
        <Space height={after} />
      </tbody>
    </table>
  );
}

function Space({ height }: { readonly height: number }) {
  return height <= 0 ? null : (
    <tr aria-hidden>
      <td colSpan={COLUMNS.length} className="p-0" style={{ height }} />
    </tr>
  );
}

interface RowProps {
  readonly run: RunRow;
  readonly index: number;
  readonly now: number;
  readonly isActive: boolean;
  readonly onActive: (runId: string) => void;
}

const Row = memo(({ run, index, now, isActive, onActive }: RowProps) => (
  <tr aria-rowindex={index + 2} className="relative hover:bg-sunken" style={{ height: ROW_HEIGHT }}>
    <td className={CELL}>
      <StatusBadge status={run.status} />
    </td>
    <td className={CELL}>
      <div className="flex items-center gap-2 min-w-0">
        <RunLink run={run} reachable={isActive} onFocus={() => onActive(run.runId)} />
        <span className="ml-auto flex gap-1">
          <Tags tags={run.tags} />
        </span>
      </div>
    </td>
    <td className={`${CELL} text-right tabular-nums text-muted`}>{run.turn}</td>
    <td className={CELL}>
      <div className="line-clamp-2 text-xs leading-4 break-words">
        <ReasonText run={run} now={now} />
      </div>
    </td>
    <td className={`${CELL} text-right text-muted text-xs whitespace-nowrap`}>
      <UsageText run={run} />
    </td>
    <td className={`${CELL} text-right whitespace-nowrap`}>
      <DurationText run={run} now={now} />
    </td>
    <td className={`${CELL} text-right text-muted whitespace-nowrap`}>
      <StartedText run={run} now={now} />
    </td>
  </tr>
));
