import type { MemoryContents, RunState } from '@baton/client';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../../ui/badge.tsx';
import { Ago } from '../../../ui/times.tsx';

type Entry = MemoryContents['entries'][number];

/** The memory in the state of a run has entries of the same form as a memory scope. */
export function entriesOf(memory: RunState['memory']): readonly Entry[] {
  return Array.isArray(memory.entries) ? (memory.entries as readonly Entry[]) : [];
}

interface MemoryEntriesProps {
  readonly entries: readonly Entry[];
  /** Said when there are no entries. */
  readonly none: string;
}

export function MemoryEntries({ entries, none }: MemoryEntriesProps) {
  if (entries.length === 0) return <p className="text-sm text-muted">{none}</p>;
  return (
    <ul>
      {entries.map((entry) => (
        <li key={entry.id} className="px-4 py-3 border-b border-line last:border-b-0 min-w-0">
          <bdi className="block text-sm whitespace-pre-wrap break-words max-h-60 overflow-y-auto">
            {entry.content}
          </bdi>
          <p className="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
            {entry.tags.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
            <Ago at={entry.createdAt} />
            <Author by={entry.by} />
          </p>
        </li>
      ))}
    </ul>
  );
}

function Author({ by }: Pick<Entry, 'by'>) {
  if (by.runId === undefined) return null;
  const writer = by.agentId ?? by.nodeId;
  return (
    <span>
      by {writer !== undefined && <bdi>{writer} in </bdi>}
      <Link to="/runs/$runId" params={{ runId: by.runId }} className="text-accent underline">
        a run
      </Link>
    </span>
  );
}
