import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef, useState } from 'react';
import type { RunRow } from '../../api/runs/run-row.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { useMediaQuery, WIDE } from '../../ui/media-query.ts';
import { useNow } from '../../ui/times.tsx';
import { DurationText, ReasonText, StartedText, Tags, UsageText } from './run-facts.tsx';
import { RunLink } from './run-link.tsx';
import { useListKeys } from './use-list-keys.ts';

const ROW_HEIGHT = 53;
const CARD_HEIGHT = 104;

interface RunsListProps {
  readonly runs: readonly RunRow[];
  readonly hasMore: boolean;
  /** Reads the next page. It may be called again while a page is on its way. */
  readonly readMore: () => void;
}

/** The rows that are in view, out of as many as there are. */
interface Window {
  readonly rows: readonly { readonly index: number; readonly run: RunRow }[];
  /** The heights of the rows before and after those in view. */
  readonly before: number;
  readonly after: number;
  readonly count: number;
  readonly now: number;
  readonly active: string | undefined;
  readonly onActive: (runId: string) => void;
  /** Tells the height of an element with `data-index`, where the heights differ. */
  readonly measure: (element: Element | null) => void;
}

/** A list of any length: only the rows in view are drawn, and the next page is read before its end is reached. */
export function RunsList({ runs, hasMore, readMore }: RunsListProps) {
  const wide = useMediaQuery(WIDE);
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useEffect(() => setTop(frame.current?.offsetTop ?? 0), []);
  const height = wide ? ROW_HEIGHT : CARD_HEIGHT;
  const virtual = useWindowVirtualizer({
    count: runs.length,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: top,
    scrollPaddingStart: wide ? 48 : 8,
    scrollPaddingEnd: wide ? 16 : 96,
  });
  // The heights that were kept are those of the other form.
  useEffect(() => virtual.measure(), [wide]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const nearEnd = last >= runs.length - 30;
  useEffect(() => {
    if (nearEnd && hasMore) readMore();
  }, [nearEnd, hasMore, readMore]);
  const { active, setActive } = useListKeys(runs, frame, (index) =>
    virtual.scrollToIndex(index, { align: 'auto' }),
  );
  const rows = items.flatMap(({ index }) => {
    const run = runs[index];
    return run === undefined ? [] : [{ index, run }];
  });
  const now = useNow(true);
  const shown: Window = {
    rows,
    before: (items[0]?.start ?? top) - top,
    after: virtual.getTotalSize() - ((items.at(-1)?.end ?? top) - top),
    count: hasMore ? -1 : runs.length,
    now,
    active: active ?? runs[0]?.runId,
    onActive: setActive,
    measure: virtual.measureElement,
  };
  return (
    <div ref={frame}>
      {wide ? <RunsTable {...shown} /> : <RunCards {...shown} />}
      {hasMore && (
        <p role="status" className="text-sm text-muted text-center py-3">
          Reading older runs…
        </p>
      )}
    </div>
  );
}

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
function RunsTable({ rows, before, after, count, now, active, onActive }: Window) {
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

/** The runs in view as cards, where the page is too narrow for a table. */
function RunCards({ rows, before, after, now, active, onActive, measure }: Window) {
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
