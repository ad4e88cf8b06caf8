import { type ColumnsOf, columnsOf } from '../database/columns.ts';
import type { Queries, Value } from '../database/database.ts';

/** A statement of a commit, with its values. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
  /**
   * How many rows the statement must return. If it returns others, the slices are outdated, and nothing of them is
   * stored.
   */
  readonly rows?: number;
}

export function statement(sql: string, ...values: readonly Value[]): Statement {
  return { sql, values };
}

/** The statement that writes rows, one value for each column of them. There is none if there are no rows. */
export function writing<Row>(
  sql: string,
  rows: readonly Row[],
  values: (columns: ColumnsOf<Row>) => readonly Value[],
): readonly Statement[] {
  return rows.length === 0 ? [] : [{ sql, values: values(columnsOf(rows)) }];
}

/**
 * Sends statements as one: each statement that Postgres gets costs a message in both directions, which takes longer than
 * most of them. None of the statements sees what the others write. Those that expect rows come first. If they are not as
 * expected, Postgres divides by zero: nobody has to look at the answer, so the statement can be a whole transaction.
 */
export function sendTogether(queries: Queries, statements: readonly Statement[]): Promise<unknown> {
  const counts = statements.flatMap(({ rows }) => rows ?? []);
  return queries.row(joined(statements), ...statements.flatMap(({ values }) => values), ...counts);
}

/** The joined texts, by the texts of the statements one after the other. There are few different sequences. */
interface Known {
  readonly next: Map<string, Known>;
  joined?: string;
}

const known: Known = { next: new Map() };

function joined(statements: readonly Statement[]): string {
  let place = known;
  for (const { sql } of statements) {
    const next = place.next.get(sql) ?? { next: new Map() };
    place.next.set(sql, next);
    place = next;
  }
  place.joined ??= join(statements);
  return place.joined;
}

function join(statements: readonly Statement[]): string {
  const parts: string[] = [];
  const answers: string[] = [];
  let before = 0;
  let counts = statements.reduce((sum, { values }) => sum + values.length, 0);
  for (const [at, { sql, values, rows }] of statements.entries()) {
    const offset = before;
    const moved = sql.replace(/\$(\d+)/g, (_, number) => `$${Number(number) + offset}`);
    before += values.length;
    parts.push(`part${at} AS ${isQuery(sql) ? 'MATERIALIZED ' : ''}(${moved})`);
    const count = `(SELECT count(*) FROM part${at})`;
    if (rows !== undefined) answers.push(`1 / (${count} = $${++counts})::integer`);
    // What only selects is not done unless somebody asks for its result.
    else if (isQuery(sql)) answers.push(count);
  }
  return `WITH ${parts.join(',\n')}\nSELECT ${answers.length === 0 ? '1' : answers.join(', ')}`;
}

function isQuery(sql: string): boolean {
  return /^\s*SELECT\b/i.test(sql);
}
