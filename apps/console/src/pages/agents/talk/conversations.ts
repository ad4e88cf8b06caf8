import type { RunSummary } from '@baton/client';

/** A conversation with an agent: each message is a run, and the runs have a tag in common. */
export interface Conversation {
  readonly id: string;
  /** The runs, the oldest first. */
  readonly runs: readonly RunSummary[];
  /** When something last happened in it. */
  readonly at: string;
}

const TAG = 'conversation:';

/** The conversations among runs, the newest first. Runs that nobody started by a message are left out. */
export function conversationsOf(runs: readonly RunSummary[]): readonly Conversation[] {
  const found = new Map<string, RunSummary[]>();
  for (const run of runs) {
    const id = run.tags?.find((tag) => tag.startsWith(TAG))?.slice(TAG.length);
    if (id !== undefined) found.set(id, [...(found.get(id) ?? []), run]);
  }
  return [...found]
    .map(([id, own]): Conversation => {
      const sorted = own.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt));
      return { id, runs: sorted, at: sorted.at(-1)?.updatedAt ?? '' };
    })
    .sort((one, other) => other.at.localeCompare(one.at));
}

/** A task or a result as text. */
export function saidText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
