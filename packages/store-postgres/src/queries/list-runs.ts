import { cursorAfter, type RunQuery, type RunReads, readCursor } from '@baton/engine/ports';
import type { RunStatus } from '@baton/protocol';
import type { Database, Value } from '../database/database.ts';
import { type ListedColumns, selectListed, toListedRun, waitsIn } from './waits-of-runs.ts';

type PageColumns =
  | ({ readonly reached: number } & ListedColumns)
  | { readonly reached: number; readonly runNo: null };

/** Lists runs, newest first. */
export function runLister(database: Database): Pick<RunReads, 'runs' | 'listedRuns'> {
  return {
    async runs(query) {
      const before = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : readCursor(query.cursor);
      const { sql, values } = runListing(query, before);
      const rows = await database.rows<PageColumns>(sql, ...values);
      const found = rows.filter((row) => row.runNo !== null);
      const items = found.slice(0, query.limit).map(toListedRun);
      const last = found[query.limit - 1];
      const reached = rows[0]?.reached ?? 0;
      if (found.length > query.limit && last !== undefined) return { items, next: cursorAfter(last.runNo) };
      return reached > 0 ? { items, next: cursorAfter(reached) } : { items };
    },
    async listedRuns(tenant, runIds) {
      const rows = await database.rows<ListedColumns>(SOME, tenant, runIds);
      return rows.map(toListedRun);
    },
  };
}

const SOME = `
  WITH page AS MATERIALIZED (SELECT run_no FROM runs WHERE tenant = $1 AND run_id = ANY($2::text[])),
  ${waitsIn('page')}
  ${selectListed('page')}`;

/**
 * The statement that lists runs. The runs of each wanted status are a stretch of an index that has the order of the
 * page. The page is made of the newest of all stretches.
 */
interface ListingStatement {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Adds a value, and returns how the statement names it. */
type Given = (value: Value) => string;

/**
 * Each row has `reached`: all wanted runs down to this number are among the rows. There is at least one row, which has
 * no run if none was found. One run more than the page holds is read, to see whether there is a next page.
 */
export function runListing(query: RunQuery, before: number): ListingStatement {
  const values: Value[] = [];
  const given: Given = (value) => `$${values.push(value)}`;
  const bounds = { before: `run.run_no < ${given(before)}`, rows: given(query.limit + 1) };
  const stretches = (query.statuses ?? [undefined]).map((status, at) =>
    stretch(query, status, at, bounds, given),
  );
  const sql = `
  WITH stretches AS MATERIALIZED (${stretches.map(({ floor }) => floor).join('\n    UNION ALL ')}),
  found AS MATERIALIZED (${stretches.map(({ runs }) => runs).join('\n    UNION ALL ')}),
  reached AS MATERIALIZED (
    SELECT max(each.run_no) AS run_no FROM (
      SELECT CASE WHEN count(found.run_no) = ${bounds.rows} THEN min(found.run_no) ELSE min(stretches.lowest) END AS run_no
      FROM stretches LEFT JOIN found USING (stretch) GROUP BY stretch
    ) AS each
  ), page AS MATERIALIZED (
    SELECT found.run_no FROM found JOIN reached ON found.run_no >= reached.run_no
    ORDER BY found.run_no DESC LIMIT ${bounds.rows}
  ), ${waitsIn('page')}
  SELECT reached.run_no AS reached, listed.* FROM reached LEFT JOIN (${selectListed('page')}) AS listed ON true
  ORDER BY listed."runNo" DESC`;
  return { sql, values };
}

interface Bounds {
  readonly before: string;
  readonly rows: string;
}

/** The runs of one status, or of any. `floor` selects the number of the last run that may be looked at. */
function stretch(query: RunQuery, status: RunStatus | undefined, at: number, bounds: Bounds, given: Given) {
  const found = [...wayTo(query, status, given), bounds.before];
  const filters = filtersOf(query, status, given);
  const from = `FROM runs AS run WHERE ${found.join(' AND ')}`;
  const isBounded = query.within !== undefined && filters.length > 0;
  const lowest = () => {
    const looked = given(Math.max(query.within ?? 0, query.limit) - 1);
    return `coalesce((SELECT run.run_no ${from} ORDER BY run.run_no DESC LIMIT 1 OFFSET ${looked}), 0)`;
  };
  const within = `run.run_no >= (SELECT lowest FROM stretches WHERE stretch = ${at})`;
  const wanted = [from, ...filters, ...(isBounded ? [within] : [])].join(' AND ');
  return {
    floor: `SELECT ${at} AS stretch, ${isBounded ? lowest() : '0::bigint'} AS lowest`,
    runs: `(SELECT ${at} AS stretch, run.run_no ${wanted} ORDER BY run.run_no DESC LIMIT ${bounds.rows})`,
  };
}

/** The conditions that one index answers: the index that finds the fewest runs. */
function wayTo(query: RunQuery, status: RunStatus | undefined, given: Given): readonly string[] {
  if (query.parentRunId !== undefined) {
    return [`run.parent_no = (SELECT run_no FROM runs WHERE run_id = ${given(query.parentRunId)})`];
  }
  const tenant = `run.tenant = ${given(query.tenant)}`;
  if (isRare(status)) return [tenant, `run.status = ${given(status)}`, "run.status <> 'completed'"];
  return query.tag === undefined ? [tenant] : [tenant, 'run.tags IS NOT NULL'];
}

/** The conditions that are checked for each run that the index finds. */
function filtersOf(query: RunQuery, status: RunStatus | undefined, given: Given): readonly string[] {
  const filters: string[] = [];
  const byParent = query.parentRunId !== undefined;
  if (byParent) filters.push(`run.tenant = ${given(query.tenant)}`);
  if (status !== undefined && (byParent || !isRare(status))) filters.push(`run.status = ${given(status)}`);
  if (query.roots === true) filters.push('run.parent_no IS NULL');
  if (query.workflowId !== undefined) filters.push(`run.workflow_id = ${given(query.workflowId)}`);
  if (query.tag !== undefined) filters.push(hasTag(`= ${given(JSON.stringify(query.tag))}`));
  if (query.createdFrom !== undefined) filters.push(`run.created_at >= ${given(query.createdFrom)}`);
  if (query.createdBefore !== undefined) filters.push(`run.created_at < ${given(query.createdBefore)}`);
  if (query.text !== undefined) filters.push(hasText(query.text, given));
  return filters;
}

/** Most runs are completed, so the index by status leaves completed runs out. */
function isRare(status: RunStatus | undefined): status is Exclude<RunStatus, 'completed'> {
  return status !== undefined && status !== 'completed';
}

/**
 * Tags are compared as JSON texts, because a tag may hold U+0000, which a text of Postgres cannot. The tags are not
 * parsed before it is known that there are any.
 */
function hasTag(condition: string): string {
  return `CASE WHEN run.tags IS NOT NULL THEN EXISTS (
      SELECT FROM json_array_elements(run.tags::json) AS tag (value) WHERE tag.value::text COLLATE "C" ${condition}) END`;
}

/** The columns have the collation "C", so `ILIKE` takes only ASCII letters for the same in either case. */
function hasText(text: string, given: Given): string {
  const pattern = (part: string) => part.replace(/[\\%_]/g, '\\$&');
  const inIds = pattern(text);
  const inTags = pattern(JSON.stringify(text).slice(1, -1));
  return `(run.run_id ILIKE ${given(`${inIds}%`)} OR run.workflow_id ILIKE ${given(`%${inIds}%`)}
    OR ${hasTag(`ILIKE ${given(`%${inTags}%`)}`)})`;
}
