import {
  FOLD_VERSION,
  forkPoint,
  type RunRow,
  restored,
  type SavedState,
  type StoredRun,
  type StoredTree,
} from '@baton/engine/ports';
import type { Queries } from '../database/database.ts';
import { gathering } from '../database/gather.ts';
import { lineageOf, THE_RUN } from './log-parts.ts';
import { RUN_COLUMNS, RUN_TABLES, type RunColumns, selectRuns, toRunRow } from './run-row.ts';

/** A part of the log of a run, with the newest saved state of the whole log in part 0. */
interface PartColumns extends RunColumns {
  readonly top: number;
  readonly part: number;
  /** Whether the part counts. */
  readonly isPart: boolean;
  readonly savedPart: number | null;
  readonly sequence: number | null;
  readonly foldVersion: number | null;
  readonly state: string | null;
  readonly savedChain: string | null;
  /** The sequence of the first event of the tail, the number of its events, and their texts with marks between. */
  readonly tailFrom: number;
  readonly tailCount: number;
  readonly tail: string | null;
}

type TreeColumns = { readonly treeId: string; readonly places: number } & (
  | PartColumns
  | { readonly top: null }
);

/** Finds a run by its id in all tenants. Only for the engine, never for requests. */
export function runFinder(queries: Queries): (runId: string) => Promise<RunRow | undefined> {
  return async (runId) => {
    const row = await queries.row<RunColumns>(FIND, runId);
    return row && toRunRow(row);
  };
}

/**
 * A run with what is needed to fold its state before event `end`: the newest saved state of this version of the fold,
 * from the run itself or from the run that it was forked from, and the events after it. A purged run has neither. For
 * requests, `tenant` is the one that asks.
 */
export function storedRunLoader(
  queries: Queries,
): (runId: string, end?: number, tenant?: string) => Promise<StoredRun | undefined> {
  return async (runId, end = Number.MAX_SAFE_INTEGER, tenant) => {
    const parts = await queries.rows<PartColumns>(LOAD_RUN, runId, tenant ?? null, FOLD_VERSION, end);
    return parts.length === 0 ? undefined : storedRun(queries, parts);
  };
}

/** Trees that are asked for at the same time, for example after the loss of a host, are loaded together. */
export function treeLoader(queries: Queries): (rootId: string) => Promise<StoredTree> {
  const rowsOf = gathering(async (ids: readonly string[]) => {
    const rows = await queries.rows<TreeColumns>(LOAD_TREES, ids, FOLD_VERSION);
    const byTree = grouped(rows, ({ treeId }) => treeId);
    return ids.map((id) => byTree.get(id) ?? []);
  });
  // Postgres has no text with U+0000, so there is no such run.
  return async (rootId) => storedTree(queries, await rowsOf(rootId.replaceAll('\0', '\ufffd')));
}

async function storedTree(queries: Queries, rows: readonly TreeColumns[]): Promise<StoredTree> {
  const parts = rows.filter((row): row is TreeColumns & PartColumns => row.top !== null);
  const runs = grouped(parts, ({ top }) => top);
  return {
    newestPlace: rows[0]?.places ?? 0,
    runs: await Promise.all([...runs.values()].map((some) => storedRun(queries, some))),
  };
}

function grouped<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): ReadonlyMap<Key, readonly Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

/** The place of the newest event of a tree; 0 if there is no such tree. */
export function newestPlaces(queries: Queries): (rootId: string) => Promise<number> {
  return async (rootId) =>
    (await queries.row<{ places: number | null }>('SELECT places FROM runs WHERE run_id = $1', rootId))
      ?.places ?? 0;
}

/** The parts come with the earliest first. Those before the saved state are left out, except part 0. */
async function storedRun(queries: Queries, parts: readonly PartColumns[]): Promise<StoredRun> {
  const top = parts.at(-1) as PartColumns;
  const read = parts.filter(({ isPart }) => isPart);
  const tails = await Promise.all(read.map((part) => tailOf(queries, part)));
  const savedState = savedStateOf(top);
  return {
    row: toRunRow(top),
    ...(savedState && { savedState }),
    tail: tails.flat(),
    // The saved state of a part already has the fork behind it with which the part begins.
    forks: read.flatMap((part) => (part.part === top.savedPart ? [] : (forkPoint(part) ?? []))),
  };
}

function savedStateOf({ sequence, foldVersion, state, savedChain }: PartColumns): SavedState | undefined {
  if (sequence === null || foldVersion === null || state === null) return undefined;
  return { sequence, foldVersion, state, ...(savedChain !== null && { chain: savedChain }) };
}

/** Between the texts of events. The text of an event is JSON, in which no such character is, or was shortened. */
const MARK = '\u0003';

async function tailOf(queries: Queries, part: PartColumns): Promise<readonly string[]> {
  const { tail, tailFrom, tailCount, runNo, runId } = part;
  const texts = tail === null ? [] : tail.split(MARK);
  if (texts.length === tailCount) return texts.map((text, at) => restored(text, runId, tailFrom + at));
  // There are texts with the mark in them.
  const rows = await queries.rows<{ seq: number; data: string }>(
    EVENTS,
    runNo,
    tailFrom,
    tailFrom + tailCount,
  );
  return rows.map(({ seq, data }) => restored(data, runId, seq));
}

const FIND = selectRuns('WHERE run.run_id = $1');

/** The newest saved state of each log is in the first part that has one. */
const savedIn = (foldVersion: string) => `
  saved AS MATERIALIZED (
    SELECT DISTINCT ON (lineage.top) lineage.top, lineage.part, state.* FROM lineage CROSS JOIN LATERAL (
      SELECT seq, fold_version, state, chain FROM checkpoints
      WHERE checkpoints.run_no = lineage.run_no AND seq <= lineage.to_seq AND fold_version = ${foldVersion}
      ORDER BY seq DESC LIMIT 1) AS state
    WHERE lineage.to_seq >= lineage.from_seq ORDER BY lineage.top, lineage.part)`;

const TAIL = `
  SELECT count(*) AS count, string_agg(data, E'\\x03' ORDER BY seq) AS texts FROM events
  WHERE events.run_no = lineage.run_no AND seq >= greatest(lineage.from_seq, saved.seq) AND seq < lineage.to_seq`;

const PARTS = `
  SELECT ${RUN_COLUMNS}, lineage.top, lineage.part, lineage.to_seq >= lineage.from_seq AS "isPart",
    saved.part AS "savedPart",
    CASE lineage.part WHEN 0 THEN saved.seq END AS sequence,
    CASE lineage.part WHEN 0 THEN saved.fold_version END AS "foldVersion",
    CASE lineage.part WHEN 0 THEN saved.state END AS state,
    CASE lineage.part WHEN 0 THEN saved.chain END AS "savedChain",
    greatest(lineage.from_seq, saved.seq) AS "tailFrom", tail.count AS "tailCount", tail.texts AS tail
  FROM lineage
  LEFT JOIN saved ON saved.top = lineage.top
  CROSS JOIN LATERAL (${TAIL}) AS tail
  JOIN runs AS run ON run.run_no = lineage.run_no ${RUN_TABLES}
  WHERE lineage.part = 0 OR lineage.part <= coalesce(saved.part, lineage.part)`;

const LOAD_RUN = `
  WITH RECURSIVE ${lineageOf(THE_RUN, '$4')}, ${savedIn('$3')} ${PARTS} ORDER BY lineage.part DESC`;

const LIVE_RUNS = `
  root_no = ANY(ARRAY(SELECT run_no FROM runs WHERE run_id = ANY($1::text[])))
    AND status NOT IN ('completed', 'failed', 'cancelled')`;

/** For each tree there is a row without a run if none is left. */
const LOAD_TREES = `
  WITH RECURSIVE ${lineageOf(LIVE_RUNS)}, ${savedIn('$2')}, parts AS (${PARTS})
  SELECT tree.run_id AS "treeId", coalesce(tree.places, 0) AS places, parts.* FROM runs AS tree
  LEFT JOIN (parts JOIN runs AS member ON member.run_no = parts.top) ON member.root_no = tree.run_no
  WHERE tree.run_id = ANY($1::text[])
  ORDER BY parts.top, parts.part DESC`;

const EVENTS = 'SELECT seq, data FROM events WHERE run_no = $1 AND seq >= $2 AND seq < $3 ORDER BY seq';
