import { columnsOf } from '../database/columns.ts';
import type { Queries } from '../database/database.ts';
import { scopedWords } from '../memory/words.ts';
import type { MoveSource, SourceRow } from './move-source.ts';
import { LEFT, PROSE } from './moved-tables.ts';

/** Rows of one statement: so many that the way to the server does not count, and so few that they fit in memory. */
const ROWS_AT_ONCE = 4000;
const CHARACTERS_AT_ONCE = 4_000_000;
/** While Postgres stores a statement, the next one is made. */
const UNDER_WAY = 2;

/** A column of the database. */
export interface TargetColumn {
  readonly table: string;
  readonly name: string;
  /** As Postgres names it, such as `bigint`. */
  readonly type: string;
  /** Whether Postgres numbers the rows in this column by itself. */
  readonly isIdentity: boolean;
}

type Value = string | number | null;

/** A column that is written, and where its values come from. */
interface Copied extends TargetColumn {
  of(row: SourceRow): Value;
}

/** Copies all rows of a table. `onRows` is told how many were sent. `made` makes columns of these rows. */
export async function copyTable(
  queries: Queries,
  source: Pick<MoveSource, 'tables' | 'rows'>,
  table: string,
  target: readonly TargetColumn[],
  made: Readonly<Record<string, Copied['of']>>,
  onRows: (count: number) => void,
): Promise<void> {
  const columns = copiedColumns(source.tables.get(table) ?? [], table, target, made);
  const sql = insertion(table, columns);
  const underWay: Promise<unknown>[] = [];
  for (const rows of batches(source.rows(table))) {
    const sent = queries.run(sql, ...columns.map((column) => valuesOf(rows, column)));
    // It is awaited below, perhaps after a later one.
    sent.catch(() => undefined);
    underWay.push(sent);
    if (underWay.length >= UNDER_WAY) await underWay.shift();
    onRows(rows.length);
  }
  for (const sent of underWay) await sent;
}

/** Fails if a column of the source has no place here, so that nothing is lost without notice. */
function copiedColumns(
  given: readonly string[],
  table: string,
  target: readonly TargetColumn[],
  made: Readonly<Record<string, Copied['of']>>,
): readonly Copied[] {
  const own = target.filter((column) => column.table === table);
  if (own.length === 0) throw new Error(`the table ${table} cannot be moved`);
  const lost = given.find(
    (name) => !LEFT.includes(`${table}.${name}`) && !own.some((column) => column.name === name),
  );
  if (lost !== undefined) throw new Error(`there is no column ${table}.${lost} in the database`);
  return own.flatMap((column) => {
    const { name } = column;
    const where = `${table}.${name}`;
    const make = made[where];
    if (make !== undefined) return [{ ...column, of: make }];
    if (!given.includes(name)) return [];
    const of = PROSE.includes(where) ? withoutZeros(name) : (row: SourceRow) => row[name] ?? null;
    return [{ ...column, of }];
  });
}

function withoutZeros(name: string): (row: SourceRow) => Value {
  return (row) => {
    const value = row[name] ?? null;
    return typeof value === 'string' ? value.replaceAll('\0', '') : value;
  };
}

function* batches(rows: Iterable<SourceRow>): Iterable<readonly SourceRow[]> {
  let batch: SourceRow[] = [];
  let characters = 0;
  for (const row of rows) {
    batch.push(row);
    for (const name in row) characters += String(row[name]).length;
    if (batch.length < ROWS_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

function valuesOf(rows: readonly SourceRow[], { table, name, type, of }: Copied): Buffer {
  const { bigint, boolean, text } = columnsOf(rows);
  const where = `${table}.${name}`;
  switch (type) {
    case 'bigint':
    case 'integer':
      return bigint(where, (row) => of(row) as number | null);
    case 'boolean':
      return boolean((row) => {
        const value = of(row);
        return value === null ? null : value !== 0;
      });
    case 'bytea':
      return text(where, (row) => encoded(of(row)));
    default:
      return text(where, (row) => fitting(where, of(row)));
  }
}

/** Bytes travel as base64. */
function encoded(value: Value): string | null {
  return value === null ? null : Buffer.from(String(value)).toString('base64');
}

function fitting(where: string, value: Value): string | null {
  if (value === null) return null;
  const text = String(value);
  if (!text.includes('\0')) return text;
  throw new Error(
    `a text in ${where} has the character U+0000, which Postgres cannot store: ${JSON.stringify(text.slice(0, 80))}`,
  );
}

function insertion(table: string, columns: readonly Copied[]): string {
  const names = columns.map(({ name }) => name).join(', ');
  const arrays = columns.map(({ type }, at) => `$${at + 1}::${transport(type)}[]`);
  return `
  INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE
  SELECT ${columns.map(expression).join(', ')} FROM unnest(${arrays.join(', ')}) AS given (${names})`;
}

function transport(type: string): string {
  if (type === 'bigint' || type === 'integer') return 'bigint';
  return type === 'boolean' ? 'boolean' : 'text';
}

function expression({ name, type }: Copied): string {
  if (type === 'bytea') return `decode(given.${name}, 'base64')`;
  if (type !== 'tsvector') return `given.${name}`;
  return `CASE WHEN given.${name} IS NOT NULL THEN ${scopedWords('given.scope_no', `given.${name}`)} END`;
}
