import { indexedWords } from '../memory/words.ts';
import type { SourceRow } from './move-source.ts';

/** How a table is moved. All columns that both stores have are copied as they are. */
export interface MovedTable {
  readonly table: string;
  /** Columns of the source that are not needed here. */
  readonly left?: readonly string[];
  /** Columns that the source does not have, or has in another form. The others of them keep their defaults. */
  readonly made?: Readonly<Record<string, (row: SourceRow) => string | number | null>>;
  /** Texts that only people read. Characters that a text of Postgres cannot hold are removed from them. */
  readonly prose?: readonly string[];
}

/** A host with this number is never at work, so the first host adopts the trees that it keeps. */
const NO_HOST = 0;

const keeper = ({ wake_at, unfinished }: SourceRow) =>
  wake_at !== null || unfinished === 1 ? NO_HOST : null;

/** Later versions of a count are in other parts. */
const part = () => 0;

/**
 * In this order: the triggers that count what a tenant stores look for the runs, scopes and definitions of the rows that
 * are added. The counts come last, and replace what the triggers have counted.
 */
export const MOVED_TABLES: readonly MovedTable[] = [
  { table: 'runs', made: { keeper } },
  { table: 'events', left: ['pos'] },
  { table: 'checkpoints' },
  { table: 'effects' },
  { table: 'interrupts', prose: ['title'] },
  { table: 'late_outcomes' },
  { table: 'definitions' },
  { table: 'workflows' },
  { table: 'api_keys' },
  { table: 'scopes' },
  {
    table: 'entries',
    left: ['indexed'],
    made: { words: ({ indexed, content }) => (indexed === 1 ? indexedWords(String(content)) : null) },
  },
  { table: 'entry_tags' },
  { table: 'audit_checkpoints' },
  { table: 'audit_leaves' },
  { table: 'audit_progress', left: ['only', 'pos'] },
  { table: 'erasures' },
  { table: 'model_answers' },
  { table: 'troubled_trees', prose: ['reason'] },
  { table: 'replies' },
  { table: 'secrets' },
  { table: 'tenant_spending', made: { part } },
  { table: 'agent_spending', made: { part } },
  { table: 'webhooks', prose: ['reason'] },
  { table: 'webhook_deliveries', prose: ['error'] },
  { table: 'peers' },
  { table: 'task_pushes' },
  { table: 'remote_cancels' },
  { table: 'tenant_usage', made: { part } },
];
