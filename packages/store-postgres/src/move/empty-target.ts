import type { Queries } from '../database/database.ts';
import type { TargetColumn } from './target-columns.ts';

/** What a host puts into a new database, in the words of an operator. The first one that is there is told. */
const TOLD: readonly (readonly [table: string, one: string])[] = [
  ['runs', 'run'],
  ['workflows', 'workflow'],
  ['api_keys', 'key'],
];

/** These have rows also in a new database. */
const NEVER_EMPTY = ['baton_schema', 'host'];

/** Refuses a database that holds anything. Hosts cannot begin to use it before the transaction ends. */
export async function requireEmpty(
  queries: Queries,
  columns: readonly TargetColumn[],
  where: string,
): Promise<void> {
  await queries.run(LOCK);
  const tables = [...new Set(columns.map(({ table }) => table))].filter(
    (table) => !NEVER_EMPTY.includes(table),
  );
  const filled: string[] = [];
  for (const table of tables) {
    if ((await queries.row(`SELECT 1 FROM ${table} LIMIT 1`)) !== undefined) filled.push(table);
  }
  if (filled.length === 0) return;
  const found: string[] = [];
  for (const [table, one] of TOLD) {
    const count = (await queries.row<{ count: number }>(`SELECT count(*) FROM ${table}`))?.count ?? 0;
    if (count > 0) found.push(`${count} ${one}${count === 1 ? '' : 's'}`);
  }
  const what = found.length > 0 ? found.join(', ') : `rows in ${filled.join(', ')}`;
  throw new Error(
    `${where} is not empty: it has ${what}. Data can only be moved into a database that no host has used: ` +
      'create a new one (CREATE DATABASE), and name it with --to',
  );
}

/** A host that starts writes to all of them. Nobody waits for those that only read. */
const LOCK = 'LOCK TABLE hosts, host_keys, runs, workflows, api_keys IN EXCLUSIVE MODE';
