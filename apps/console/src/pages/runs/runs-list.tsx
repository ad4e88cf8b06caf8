import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import type { RunRow } from '../../api/runs/run-row.ts';
import { useMediaQuery, WIDE } from '../../ui/media-query.ts';
import { useNow } from '../../ui/times.tsx';
import { RunCards } from './run-cards.tsx';
import { RunsTable } from './runs-table.tsx';
import { useListKeys } from './use-list-keys.ts';

export const ROW_HEIGHT = 53;
const CARD_HEIGHT = 104;

interface RunsListProps {
  readonly runs: readonly RunRow[];
  readonly hasMore: boolean;
  /** Reads the next page. It may be called again while a page is on its way. */
  readonly readMore: () => void;
}

/** The rows that are in view, out of as many as there are. */
export interface Window {
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
