import { indexedWords } from '../memory/words.ts';
import type { SourceRow } from './move-source.ts';

/**
 * Every table of the other store is copied, and every column that both stores have. Here is only what is not the same.
 */

/**
 * The triggers that count what a tenant stores look for the runs, scopes and definitions of the rows that are added, so
 * these come first. The counts come last, and replace what the triggers have counted.
 */
export function inOrder(tables: Iterable<string>): readonly string[] {
  const place = (table: string) => (FIRST.includes(table) ? 0 : table === 'tenant_usage' ? 2 : 1);
  return [...tables].sort((one, other) => place(one) - place(other));
}

const FIRST = ['runs', 'scopes', 'definitions'];

/** Columns of the other store that are not needed here. */
export const LEFT: readonly string[] = [
  'events.pos',
  'entries.indexed',
  'audit_progress.only',
  'audit_progress.pos',
];

type Make = (row: SourceRow) => string | number | null;

/** A host with this number is never at work, so the first host adopts the trees that it keeps. */
const NO_HOST = 0;

/** Counts of the first part. Later ones are in other parts. */
const part: Make = () => 0;

/** Columns that the other store does not have, or has in another form. The others of them keep their defaults. */
export const MADE: Readonly<Record<string, Make>> = {
  'runs.keeper': ({ wake_at, unfinished }) => (wake_at !== null || unfinished === 1 ? NO_HOST : null),
  'entries.words': ({ indexed, content }) => (indexed === 1 ? indexedWords(String(content)) : null),
  'tenant_spending.part': part,
  'agent_spending.part': part,
  'tenant_usage.part': part,
};

/** Texts that only people read. Characters that a text of Postgres cannot hold are removed from them. */
export const PROSE: readonly string[] = [
  'interrupts.title',
  'troubled_trees.reason',
  'webhooks.reason',
  'webhook_deliveries.error',
];
