import { Pause, Play, Radio, SkipBack, SkipForward, StepBack, StepForward } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { countText } from '../../../ui/amounts.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { durationText } from '../../../ui/times.tsx';
import { useIsLive, usePosition, useRunViews, useTree } from '../follow/run-context.tsx';
import { eventText } from '../model/event-text.ts';

/** Chooses the moment that the graph, the timeline and the log show. */
export function TimeSlider({ actions }: { readonly actions?: ReactNode }) {
  const { tree, following } = useTree();
  const { moment } = useRunViews();
  const position = usePosition();
  const isLive = useIsLive();
  const { isPlaying, toggle } = usePlay();
  const newest = tree.entries.length - 1;
  const entry = tree.entries[position];
  const first = tree.entries[0];
  const go = (to: number): void => moment.set(Math.min(newest, Math.max(0, to)));
  const said =
    entry === undefined
      ? 'No event'
      : `Event ${position + 1} of ${newest + 1}: ${entry.event.type}, ${entry.lane.name}`;
  const follows = following.kind === 'following';
  return (
    <section
      aria-label="Moment"
      className="sticky top-0 z-20 bg-surface border border-line rounded-lg shadow-raised px-3 py-2 flex flex-col gap-1"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <div className="flex items-center">
          <IconButton
            label="First event"
            className="max-md:hidden"
            onClick={() => go(0)}
            disabled={newest < 0}
          >
            <SkipBack size={17} aria-hidden />
          </IconButton>
          <IconButton label="Event before" onClick={() => go(position - 1)} disabled={position <= 0}>
            <StepBack size={17} aria-hidden />
          </IconButton>
          <IconButton
            label={isPlaying ? 'Stop' : 'Play'}
            kind="secondary"
            onClick={toggle}
            disabled={newest < 1}
          >
            {isPlaying ? <Pause size={17} aria-hidden /> : <Play size={17} aria-hidden />}
          </IconButton>
          <IconButton label="Next event" onClick={() => go(position + 1)} disabled={position >= newest}>
            <StepForward size={17} aria-hidden />
          </IconButton>
          <IconButton
            label="Last event"
            className="max-md:hidden"
            onClick={() => go(newest)}
            disabled={newest < 0}
          >
            <SkipForward size={17} aria-hidden />
          </IconButton>
        </div>
        <input
          type="range"
          aria-label="Moment of the run"
          aria-valuetext={said}
          min={0}
          max={Math.max(0, newest)}
          step={1}
          value={Math.max(0, position)}
          disabled={newest < 1}
          onChange={({ target }) => go(target.valueAsNumber)}
          className="order-last md:order-none basis-full md:basis-0 flex-1 min-w-40 h-6 accent-accent"
        />
        <Button
          kind={isLive ? 'primary' : 'secondary'}
          aria-pressed={isLive}
          onClick={() => moment.set(isLive ? Math.max(0, position) : undefined)}
          icon={<Radio size={15} aria-hidden />}
          title={follows ? 'Follow the newest event' : 'Show the newest event'}
        >
          {follows ? 'Live' : 'Newest'}
        </Button>
        {actions}
      </div>
      <p className="text-xs text-muted flex gap-2 min-w-0">
        <span className="tabular-nums whitespace-nowrap">
          Event {countText(position + 1)} of {countText(newest + 1)}
        </span>
        {entry !== undefined && first !== undefined && (
          <>
            <span className="tabular-nums whitespace-nowrap">+{durationText(entry.time - first.time)}</span>
            <span className="truncate text-text">
              <bdi>{entry.lane.name}</bdi> · {entry.event.type}
              {entry.event.nodeId !== undefined && (
                <>
                  {' '}
                  · <bdi>{entry.event.nodeId}</bdi>
                </>
              )}
              <span className="text-muted">
                {' '}
                <bdi>{eventText(entry.event)}</bdi>
              </span>
            </span>
          </>
        )}
      </p>
    </section>
  );
}

const TICK_MS = 120;
/** However long a log is, it is played in about this many steps. */
const MOST_STEPS = 200;

/** Moves the moment forward by itself, until the newest event is reached. */
function usePlay(): { readonly isPlaying: boolean; toggle(): void } {
  const { store, moment } = useRunViews();
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => {
      const newest = store.tree.entries.length - 1;
      const next = moment.position() + Math.max(1, Math.round(newest / MOST_STEPS));
      if (next < newest) return moment.set(next);
      moment.set(undefined);
      setPlaying(false);
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [isPlaying, store, moment]);
  const toggle = (): void => {
    // A moment at the end has nothing to play, so it begins again.
    if (!isPlaying && moment.position() >= store.tree.entries.length - 1) moment.set(0);
    setPlaying(!isPlaying);
  };
  return { isPlaying, toggle };
}
