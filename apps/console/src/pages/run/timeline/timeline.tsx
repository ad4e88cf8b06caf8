import { useMemo, useState } from 'react';
import { hasEnded } from '../../../api/runs/run-row.ts';
import { countText } from '../../../ui/amounts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Choice } from '../../../ui/choice.tsx';
import { Skeleton } from '../../../ui/states.tsx';
import { useNow } from '../../../ui/times.tsx';
import { ZoomTools } from '../../../ui/zoom-tools.tsx';
import { useRunViews, useTreeLater } from '../follow/run-context.tsx';
import { changed } from '../log/log-filters.tsx';
import type { LogFilter } from '../model/filter.ts';
import { lanesInOrder } from '../model/runs.ts';
import { type Axis, orderScale, timeScale } from '../model/time-scale.ts';
import { type Range, zoomed } from './geometry.ts';
import { Lanes } from './lanes.tsx';

const AXIS_WORDS: Readonly<Record<Axis, string>> = { time: 'Time', order: 'Order' };

interface TimelineProps {
  readonly filter: LogFilter;
  readonly onFilter: (filter: LogFilter) => void;
}

/** Who worked when: a lane for each run and agent, with arrows where work goes from one to another. */
export function Timeline({ filter, onFilter }: TimelineProps) {
  const { tree, version } = useTreeLater();
  const { moment } = useRunViews();
  const [axis, setAxis] = useState<Axis>('time');
  const [zoom, setZoom] = useState<Range>();
  const status = tree.runs.get(tree.rootId)?.status.at(-1)?.value;
  const goesOn = status === undefined || !hasEnded({ status });
  const now = useNow(goesOn);
  const until = goesOn ? now : undefined;
  // A new version of the tree has more events.
  const scale = useMemo(
    () => (axis === 'time' ? timeScale(tree, until) : orderScale(tree)),
    [axis, tree, version, until],
  );
  const { laneCount } = tree;
  // The lanes are other ones only when their number is.
  const lanes = useMemo(() => lanesInOrder(tree), [tree, laneCount]);
  const range = zoom ?? { from: 0, to: scale.length };
  const zoomBy = (factor: number): void => {
    const entry = tree.entries[moment.position()];
    const unit = entry === undefined ? range.from : scale.unitOf(entry);
    const isSeen = unit >= range.from && unit <= range.to;
    const next = zoomed(range, scale.length, factor, isSeen ? unit : (range.from + range.to) / 2);
    setZoom(next.to - next.from >= scale.length ? undefined : next);
  };
  const selected = filter.range;
  const showSelected = (): void => {
    const [from, to] = selected?.map((position) => tree.entries[position]) ?? [];
    if (from === undefined || to === undefined) return;
    const [start, end] = [scale.unitOf(from), scale.unitOf(to)];
    const room = Math.max((end - start) * 0.05, scale.length / 10_000);
    setZoom({ from: Math.max(0, start - room), to: Math.min(scale.length, end + room) });
  };
  return (
    <Card
      title="Timeline"
      flush
      actions={
        <>
          {selected !== undefined && (
            <>
              <Button kind="quiet" onClick={showSelected}>
                Zoom to selection
              </Button>
              <Button kind="quiet" onClick={() => onFilter(changed(filter, { range: undefined }))}>
                Clear
              </Button>
            </>
          )}
          <Choice
            legend="Axis"
            words={AXIS_WORDS}
            chosen={axis}
            onChoose={(next) => {
              setAxis(next);
              setZoom(undefined);
            }}
          />
          <ZoomTools
            labels={['Zoom out', 'Zoom in', 'Show everything']}
            onZoom={zoomBy}
            onWhole={() => setZoom(undefined)}
          />
        </>
      }
    >
      {tree.entries.length === 0 ? (
        <Skeleton rows={3} />
      ) : (
        <Lanes
          lanes={lanes}
          version={version}
          scale={scale}
          range={range}
          onRange={setZoom}
          onZoom={zoomBy}
          selected={selected}
          onSelect={(next) => onFilter(changed(filter, { range: next }))}
        />
      )}
      <p className="px-3 py-1.5 text-xs text-muted border-t border-line">
        {countText(lanes.length)} {lanes.length === 1 ? 'lane' : 'lanes'}. Drag over the lanes to filter the
        log by a range.
        {scale.breaks.length > 0 && ' Hatched columns are idle time, drawn shorter than it was.'}
      </p>
    </Card>
  );
}
