import { StatusIcon } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/class-names.ts';
import { LOOK_OF, STATUS_WORDS } from '../../../ui/status.ts';
import { useAtMoment } from '../follow/run-context.tsx';
import { valueAt } from '../model/at.ts';
import type { Lane, RunTrack } from '../model/tree.ts';
import { LANE_HEIGHT } from './geometry.ts';

interface LaneLabelProps {
  readonly id: string;
  readonly lane: Lane;
  readonly run: RunTrack;
  /** `.3`: which run below the root it is. */
  readonly below: string;
  readonly top: number;
  readonly isChosen: boolean;
  readonly place: readonly [index: number, count: number];
  readonly onChoose: () => void;
}

const TEXT = {
  pending: 'text-status-pending',
  running: 'text-status-running',
  waiting: 'text-status-waiting',
  paused: 'text-status-paused',
  completed: 'text-status-completed',
  failed: 'text-status-failed',
  cancelled: 'text-status-cancelled',
} as const;

/** The name of a lane, with the status of its run at the moment. */
export function LaneLabel({ id, lane, run, below, top, isChosen, place, onChoose }: LaneLabelProps) {
  const status = useAtMoment((_tree, position) => valueAt(run.status, position));
  const isAgent = lane.nodeId !== undefined;
  const look = status === undefined ? 'pending' : LOOK_OF[status];
  const word = status === undefined ? 'Not begun' : STATUS_WORDS[status];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the focus, and its keys choose a lane.
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the active lane.
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-setsize={place[1]}
      aria-posinset={place[0] + 1}
      aria-label={`${lane.name} ${below}, ${isAgent ? 'agent' : word}`}
      title={`${lane.name} ${below} · ${isAgent ? 'Agent' : word}`}
      onClick={onChoose}
      className={classes(
        'absolute left-0 right-0 flex items-center gap-1.5 pr-1.5 text-xs border-b border-line cursor-pointer',
        isChosen ? 'bg-accent-ground' : 'hover:bg-sunken',
      )}
      style={{ top, height: LANE_HEIGHT, paddingLeft: 8 + Math.min(4, lane.depth) * 10 }}
    >
      {isAgent ? (
        <span aria-hidden className="text-muted">
          ↳
        </span>
      ) : (
        <span className={classes('shrink-0', TEXT[look])}>
          <StatusIcon look={look} size={13} />
        </span>
      )}
      <span className={classes('truncate', isAgent && 'text-muted')}>
        <bdi>{lane.name}</bdi>
      </span>
      {below !== '' && !isAgent && <span className="ml-auto text-muted font-mono">{below}</span>}
    </div>
  );
}
