import { auditTables } from './audit.ts';
import { keyTables } from './keys.ts';
import { memoryTables } from './memory.ts';
import { outgoingTables } from './outgoing.ts';
import { runTables } from './runs.ts';
import { usageTables } from './usage.ts';

const TABLES = [runTables, memoryTables, auditTables, usageTables, keyTables, outgoingTables].flat().join('');

/** All changes of the schema in order. */
export interface Schema {
  /** The version that the first migration makes of an empty file. Earlier ones are of development versions. */
  readonly first: number;
  readonly migrations: readonly string[];
}

/** The first migration is the schema of the first release. A released migration is never changed. */
export const SCHEMA: Schema = { first: 2, migrations: [TABLES] };

export function newestVersion({ first, migrations }: Schema): number {
  return first + migrations.length - 1;
}
