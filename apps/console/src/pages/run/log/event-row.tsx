import { classes } from '../../../ui/class-names.ts';
import type { StatusLook } from '../../../ui/status.ts';
import { durationText } from '../../../ui/times.tsx';
import { eventText } from '../model/event-text.ts';
import type { Entry } from '../model/tree.ts';

export type RowLight = 'pointed' | 'cause' | 'effect' | undefined;

interface EventRowProps {
  readonly id: string;
  readonly entry: Entry;
  readonly start: number;
  readonly isMoment: boolean;
  /** The event comes after the moment that is shown. */
  readonly isLater: boolean;
  readonly light: RowLight;
  readonly isNarrow: boolean;
  readonly place: readonly [index: number, count: number];
  readonly top: number;
  readonly height: number;
  readonly onChoose: (position: number) => void;
  readonly onPoint: (position: number | undefined) => void;
}

const LIGHTS: Readonly<Record<Exclude<RowLight, undefined>, string>> = {
  pointed: 'bg-sunken',
  cause: 'bg-changed-ground',
  effect: 'bg-added-ground',
};

const LIGHT_WORDS: Readonly<Record<Exclude<RowLight, undefined>, string>> = {
  pointed: '',
  cause: 'cause',
  effect: 'effect',
};

/** One event of the log. */
export function EventRow(props: EventRowProps) {
  const { id, entry, start, isMoment, isLater, light, isNarrow, place, top, height } = props;
  const { event, lane, position, time } = entry;
  const word = light === undefined ? '' : LIGHT_WORDS[light];
  const cells = (
    <>
      <span className="tabular-nums text-muted text-right shrink-0 w-12">{event.sequence}</span>
      <span className="tabular-nums text-muted shrink-0 w-20 text-right">+{durationText(time - start)}</span>
      <span className="truncate shrink-0 w-36">
        <bdi>{lane.name}</bdi>
      </span>
      <span className={classes('truncate shrink-0 w-56 font-mono text-xs', typeColour(event.type))}>
        {event.type}
      </span>
      <span className="truncate text-muted min-w-0 flex-1">
        {event.nodeId !== undefined && (
          <>
            <bdi className="text-text">{event.nodeId}</bdi>{' '}
          </>
        )}
        <bdi>{eventText(event)}</bdi>
      </span>
      {word !== '' && <span className="text-xs font-medium shrink-0">{word}</span>}
    </>
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the focus, and its keys move between rows.
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the active row.
    <div
      id={id}
      role="option"
      aria-selected={isMoment}
      aria-setsize={place[1]}
      aria-posinset={place[0] + 1}
      onClick={() => props.onChoose(position)}
      onPointerEnter={() => props.onPoint(position)}
      onPointerLeave={() => props.onPoint(undefined)}
      className={classes(
        'absolute inset-x-0 px-3 text-sm cursor-pointer border-l-2',
        isNarrow ? 'flex flex-col justify-center' : 'flex items-center gap-3',
        isMoment ? 'border-accent bg-accent-ground' : 'border-transparent',
        !isMoment && (light === undefined ? 'hover:bg-sunken' : LIGHTS[light]),
        isLater && 'opacity-60',
      )}
      style={{ top, height }}
    >
      {isNarrow ? (
        <>
          <div className="flex gap-2 items-baseline min-w-0">
            <span className="tabular-nums text-muted text-xs">{event.sequence}</span>
            <span className={classes('truncate font-mono text-xs', typeColour(event.type))}>
              {event.type}
            </span>
            <span className="ml-auto tabular-nums text-muted text-xs whitespace-nowrap">
              {word !== '' && <b className="text-text">{word} </b>}+{durationText(time - start)}
            </span>
          </div>
          <div className="truncate text-xs text-muted">
            <bdi className="text-text">{lane.name}</bdi> <bdi>{event.nodeId}</bdi>{' '}
            <bdi>{eventText(event)}</bdi>
          </div>
        </>
      ) : (
        cells
      )}
    </div>
  );
}

const COLOURS: readonly (readonly [end: string, look: StatusLook])[] = [
  ['.failed', 'failed'],
  ['.completed', 'completed'],
  ['.granted', 'completed'],
  ['.rejected', 'failed'],
  ['.requested', 'waiting'],
  ['.suspended', 'waiting'],
  ['.paused', 'paused'],
];

const TEXT_OF: Readonly<Record<StatusLook, string>> = {
  pending: '',
  running: 'text-status-running',
  waiting: 'text-status-waiting',
  paused: 'text-status-paused',
  completed: 'text-status-completed',
  failed: 'text-status-failed',
  cancelled: 'text-status-cancelled',
};

function typeColour(type: string): string {
  const look = COLOURS.find(([end]) => type.endsWith(end))?.[1];
  return look === undefined ? '' : TEXT_OF[look];
}
