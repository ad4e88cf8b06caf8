import { countsAndGuards } from './counts-and-guards.ts';
import { tables } from './tables.ts';

/**
 * A change of the schema. Migrations only add, so that hosts of the release before can go on while the hosts of a
 * cluster are replaced one after the other. `oldest` is the oldest schema version whose hosts can live with it.
 */
interface Migration {
  readonly sql: string;
  readonly oldest: number;
}

/** All changes of the schema in order. */
export interface Schema {
  /** The version that the first migration makes of an empty database. Earlier ones are of development versions. */
  readonly first: number;
  readonly migrations: readonly Migration[];
}

const FIRST = 1;

/** The first migration is the schema of the first release. A released migration is never changed. */
export const SCHEMA: Schema = {
  first: FIRST,
  migrations: [{ sql: tables + countsAndGuards, oldest: FIRST }],
};

export function newestVersion({ first, migrations }: Schema): number {
  return first + migrations.length - 1;
}
