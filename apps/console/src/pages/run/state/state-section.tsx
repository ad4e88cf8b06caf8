import { memo, useState } from 'react';
import { LookBadge } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/class-names.ts';
import { JsonView } from '../../../ui/json-view.tsx';
import type { StatusLook } from '../../../ui/status.ts';
import { ChangeMark, ValueChangesView } from '../../../ui/value-changes.tsx';
import type { SectionName, StateEntry } from './state-entries.ts';

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

export function StateSection({ name, entries, total }: StateSectionProps) {
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
