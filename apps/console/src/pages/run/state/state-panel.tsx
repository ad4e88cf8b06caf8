import { BatonError, type RunState } from '@baton/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { LoaderCircle } from 'lucide-react';
import { memo, useEffect, useMemo, useState } from 'react';
import { baton } from '../../../api/baton.ts';
import { LookBadge, StatusBadge } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/class-names.ts';
import { CheckField, TextField } from '../../../ui/field.tsx';
import { JsonView } from '../../../ui/json-view.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import type { StatusLook } from '../../../ui/status.ts';
import { ChangeMark, ValueChangesView } from '../../../ui/value-changes.tsx';
import {
  changedText,
  filterEntries,
  type SectionName,
  type StateEntry,
  type StateSections,
  stateSections,
} from './state-entries.ts';

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
        <CheckField
          label="Only what changed"
          checked={onlyChanged}
          onChange={setOnlyChanged}
          className="min-h-6"
        />
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

const TITLES: Readonly<Record<SectionName, string>> = {
  variables: 'Variables',
  channels: 'Channels',
  memory: 'Memory',
  nodes: 'Nodes',
};

const AT_ONCE = 50;
const SHOWN_CHANGES = 8;

interface StateSectionProps {
  readonly name: SectionName;
  readonly entries: readonly StateEntry[];
  /** How many there are without the filter. */
  readonly total: number;
}

function StateSection({ name, entries, total }: StateSectionProps) {
  const [shown, setShown] = useState(AT_ONCE);
  const hidden = entries.length - shown;
  return (
    <section className="bg-surface border border-line rounded-lg min-w-0">
      <h2 className="text-sm px-3 py-2 border-b border-line flex items-baseline gap-2">
        {TITLES[name]}
        <span className="text-xs font-normal text-muted">
          {entries.length === total ? total : `${entries.length} of ${total}`}
        </span>
      </h2>
      {entries.length === 0 ? (
        <p className="px-3 py-2 text-sm text-muted">
          {total === 0 ? 'None.' : 'None of them fits the filter.'}
        </p>
      ) : (
        <ul className="divide-y divide-line">
          {entries.slice(0, shown).map((entry) => (
            <Entry key={entry.name} section={name} entry={entry} />
          ))}
        </ul>
      )}
      {hidden > 0 && (
        <button
          type="button"
          className="px-3 py-2 text-sm underline text-accent"
          onClick={() => setShown(shown + AT_ONCE * 4)}
        >
          Show {Math.min(hidden, AT_ONCE * 4)} more of {hidden}
        </button>
      )}
    </section>
  );
}

const GROUNDS = {
  added: 'border-l-added',
  changed: 'border-l-changed',
  removed: 'border-l-removed',
} as const;

const Entry = memo(function Entry({
  section,
  entry,
}: {
  readonly section: SectionName;
  readonly entry: StateEntry;
}) {
  const { name, value, before, change } = entry;
  const status = section === 'nodes' ? statusIn(value ?? before) : undefined;
  return (
    <li
      className={classes(
        'px-3 py-2 border-l-2 min-w-0',
        change === undefined ? 'border-l-transparent' : GROUNDS[change],
      )}
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 min-w-0">
        <bdi className={classes('font-mono text-xs break-all', change === 'removed' && 'line-through')}>
          {name}
        </bdi>
        {status !== undefined && <LookBadge look={status.look}>{status.word}</LookBadge>}
        {change !== undefined && <ChangeMark kind={change} />}
      </div>
      {change === 'changed' ? (
        <Changed before={before} value={value} />
      ) : (
        <JsonView value={change === 'removed' ? before : value} depth={section === 'variables' ? 1 : 2} />
      )}
    </li>
  );
});

/** A value that was changed: the differences inside it, and the whole value below. */
function Changed({ before, value }: { readonly before: unknown; readonly value: unknown }) {
  const isLeaf = typeof value !== 'object' || value === null || typeof before !== 'object' || before === null;
  return (
    <div className="mt-1 flex flex-col gap-2 min-w-0">
      <ValueChangesView before={before} after={value} most={SHOWN_CHANGES} />
      {!isLeaf && <JsonView name="whole value" value={value} depth={2} />}
    </div>
  );
}

const LOOKS: Readonly<Record<string, StatusLook>> = {
  running: 'running',
  waiting: 'waiting',
  suspended: 'waiting',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  skipped: 'cancelled',
};

function statusIn(node: unknown): { readonly look: StatusLook; readonly word: string } | undefined {
  const { status, waitingFor } = (node ?? {}) as { readonly status?: unknown; readonly waitingFor?: unknown };
  if (typeof status !== 'string') return undefined;
  if (status === 'running' && typeof waitingFor === 'string')
    return { look: 'waiting', word: `waiting for ${waitingFor}` };
  return { look: LOOKS[status] ?? 'pending', word: status };
}

/** The state after an event, and the state before it. */
interface StatePair {
  readonly after: RunState;
  /** Absent when the state before can no longer be read, or when the run has no events. */
  readonly before?: RunState;
}

/** A slider that moves asks for many states; only the ones at which it rests are read. */
const REST_MS = 120;
const EVERY_MS = 3_000;
const ENDED: readonly string[] = ['completed', 'failed', 'cancelled'];

/**
 * The state of a run after the event `at`, or now. While another state is on its way, the last one is shown. A request
 * whose answer is no longer wanted is cancelled.
 */
function useStateAt(runId: string, at: number | undefined) {
  const resting = useResting(at, REST_MS);
  const query = useQuery({
    queryKey: ['state-pair', runId, resting ?? 'now'],
    queryFn: ({ signal }) => readPair(runId, resting, signal),
    placeholderData: keepPreviousData,
    structuralSharing: false,
    gcTime: 0,
    staleTime: resting === undefined ? 0 : Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) =>
      resting === undefined && !ENDED.includes(state.data?.after.status ?? '') ? EVERY_MS : false,
  });
  return { ...query, isBehind: query.isPlaceholderData || resting !== at };
}

async function readPair(runId: string, at: number | undefined, signal: AbortSignal): Promise<StatePair> {
  if (at !== undefined) {
    const [before, after] = await Promise.all([
      readStateIfKept(runId, at, signal),
      readState(runId, at + 1, signal),
    ]);
    return { after, ...(before && { before }) };
  }
  const after = await baton.run(runId).state({ signal });
  const before = after.at === 0 ? undefined : await readStateIfKept(runId, after.at - 1, signal);
  return { after, ...(before && { before }) };
}

/** The value once it has not changed for a while. The first value counts at once. */
export function useResting<T>(value: T, milliseconds: number): T {
  const [resting, setResting] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setResting(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return resting;
}

/** How many states are kept. A state can be megabytes long, and a person steps back and forth between neighbours. */
const MOST_KEPT = 30;

/** The states that were read last, the oldest first. */
const kept = new Map<string, RunState>();

/** The state before an event. It never changes, so it is read once. */
async function readState(runId: string, index: number, signal: AbortSignal): Promise<RunState> {
  const key = `${runId}:${index}`;
  const known = kept.get(key);
  const state = known ?? (await baton.run(runId).stateAt(index, { signal }));
  kept.delete(key);
  kept.set(key, state);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  return state;
}

/** `undefined` when the host no longer has the state, for example because the memory of that time was removed. */
async function readStateIfKept(
  runId: string,
  index: number,
  signal: AbortSignal,
): Promise<RunState | undefined> {
  try {
    return await readState(runId, index, signal);
  } catch (error) {
    const status = error instanceof BatonError ? error.status : undefined;
    if (status !== undefined && status >= 400 && status < 500 && status !== 401) return undefined;
    throw error;
  }
}
