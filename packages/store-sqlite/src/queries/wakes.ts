import type { Store } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';

interface RootId {
  readonly run_id: string;
}

/** Which trees want attention. Wake-ups stand on the rows of root runs. */
export function wakeQueries(database: Database): Pick<Store, 'unfinished' | 'due' | 'nextWake'> {
  const unfinished = database.prepare<RootId>('SELECT run_id FROM runs WHERE unfinished = 1 ORDER BY run_no');
  const due = database.prepare<RootId>(
    'SELECT run_id FROM runs WHERE wake_at IS NOT NULL AND wake_at <= ? ORDER BY wake_at LIMIT ?',
  );
  const next = database.prepare<{ at: number | null }>(
    'SELECT min(wake_at) AS at FROM runs WHERE wake_at IS NOT NULL',
  );
  return {
    unfinished: async () => unfinished.all().map((root) => root.run_id),
    due: async (now, limit) => due.all(now, limit).map((root) => root.run_id),
    nextWake: async () => next.get()?.at ?? undefined,
  };
}
