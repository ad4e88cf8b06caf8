import { LoaderCircle } from 'lucide-react';
import { useMemo, useState } from 'react';
import { StatusBadge } from '../../../ui/badge.tsx';
import { TextField } from '../../../ui/field.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { changedText, filterEntries, type StateSections, stateSections } from './state-entries.ts';
import { StateSection } from './state-section.tsx';
import { type StatePair, useStateAt } from './use-state-at.ts';

interface StatePanelProps {
  readonly runId: string;
  /** The state after this event. Absent: now. */
  readonly at: number | undefined;
}

/** Below each other where the panel is narrow. */
const COLUMNS = [['variables', 'channels', 'memory'], ['nodes']] as const;

/** Variables, channels, memory and nodes as of an event, with what the event changed. */
export function StatePanel({ runId, at }: StatePanelProps) {
  const { data, error, isBehind, refetch } = useStateAt(runId, at);
  const [text, setText] = useState('');
  const [onlyChanged, setOnlyChanged] = useState(false);
  const sections = useMemo(() => data && stateSections(data.before, data.after), [data]);
  if (error !== null && !isBehind) return <ErrorState error={error} retry={refetch} />;
  if (data === undefined || sections === undefined) return <Skeleton rows={10} />;
  return (
    <div className="@container flex flex-col gap-3 min-w-0" aria-busy={isBehind}>
      <Moment data={data} sections={sections} at={at} isBehind={isBehind} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="flex-1 basis-48 max-w-sm">
          <TextField
            label="Search names and values"
            quiet
            type="search"
            placeholder="Search names and values"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <label className="flex items-center gap-2 text-sm min-h-6">
          <input
            type="checkbox"
            checked={onlyChanged}
            onChange={(event) => setOnlyChanged(event.target.checked)}
            className="size-4 accent-accent"
          />
          Only what changed
        </label>
      </div>
      <div className="grid @4xl:grid-cols-2 gap-3 items-start min-w-0">
        {COLUMNS.map((names) => (
          <div key={names[0]} className="flex flex-col gap-3 min-w-0">
            {names.map((name) => (
              <StateSection
                key={name}
                name={name}
                entries={filterEntries(sections[name], { text, onlyChanged })}
                total={sections[name].length}
              />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

interface MomentProps {
  readonly data: StatePair;
  readonly sections: StateSections;
  readonly at: number | undefined;
  readonly isBehind: boolean;
}

/** Which moment is shown, and what its event changed. */
function Moment({ data: { after, before }, sections, at, isBehind }: MomentProps) {
  const last = after.at - 1;
  const changed = changedText(sections);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <StatusBadge status={after.status as never} />
      <p>
        {last < 0 ? 'Before the first event' : `After event ${last}`}
        {after.runId.includes('.') && <> of child run {after.runId.slice(after.runId.indexOf('.'))}</>}
        {after.time !== undefined && (
          <span className="text-muted">
            , <time dateTime={after.time}>{new Date(after.time).toLocaleTimeString()}</time>
          </span>
        )}
        {after.iteration > 0 && <span className="text-muted">, turn {after.iteration}</span>}
      </p>
      {last >= 0 && (
        <p className="text-muted">
          {before === undefined && 'The state before this event can no longer be read, so nothing is marked.'}
          {before !== undefined &&
            (changed === undefined ? 'It changed nothing of this.' : `It changed ${changed}.`)}
        </p>
      )}
      <p role="status" className="flex items-center gap-1.5 text-muted">
        {isBehind && (
          <>
            <LoaderCircle size={14} aria-hidden className="animate-spin" />
            Loading {at === undefined ? 'the present state' : `event ${at}`}…
          </>
        )}
      </p>
    </div>
  );
}
