import { type AuditStore, type ErasureRecord, privateScope, shortener } from '@baton/engine/ports';
import { tellChanges } from '../commit/commit-row.ts';
import type { Database, Queries } from '../database/database.ts';
import { withoutError } from '../queries/listed-error.ts';
import { type RunColumns, selectRuns, toRunRow } from '../queries/run-row.ts';
import type { Self } from '../self.ts';

type RunEraser = Pick<
  AuditStore,
  'treeOf' | 'forksOf' | 'hasErasedRun' | 'eraseRun' | 'eraseShared' | 'wipeTraces'
>;

interface ErasedColumns {
  readonly runNo: number;
  readonly tenant: string;
  readonly listed: string | null;
  readonly erasedAt: number | null;
}

const EVENTS_AT_ONCE = 2000;

/** Removes the contents of a run from the database, and keeps the rows that prove that the run existed. */
export function runEraser(database: Database, self: Self): RunEraser {
  return {
    wipeTraces: () => removeOldRows(database),
    async treeOf(rootId) {
      return (await database.rows<RunColumns>(MEMBERS, rootId)).map(toRunRow);
    },
    async forksOf(rootId) {
      return (await database.rows<{ runId: string }>(FORKS, rootId)).map(({ runId }) => runId);
    },
    hasErasedRun: (rootId) => hasErasedRun(database, rootId),
    eraseRun: (erasure, texts) =>
      database.transaction(async (queries) => {
        if (!(await mayBeErased(queries, erasure.runId))) return false;
        await eraseRun(queries, erasure, texts);
        await tellChanges(queries, self, [{ kind: 'log', runId: erasure.runId }]);
        return true;
      }),
    async eraseShared(tenant, rootId) {
      await database.transaction((queries) =>
        Promise.all([
          queries.run(ERASE_SHARED, tenant, rootId),
          // A stored answer does not name its run, so all answers of the tenant are removed. Models can be
          // asked again.
          queries.run('DELETE FROM model_answers WHERE tenant = $1', tenant),
        ]),
      );
    },
  };
}

async function hasErasedRun(queries: Queries, rootId: string): Promise<boolean> {
  return (await queries.row(ERASED, rootId)) !== undefined;
}

async function eraseRun(queries: Queries, erasure: ErasureRecord, texts: readonly string[]): Promise<void> {
  const { runId, at, by, reason, from, links, remains, keyId, signature } = erasure;
  const run = await queries.row<ErasedColumns>(FIND, runId);
  if (run === undefined) throw new Error(`there is no run ${runId}`);
  const { runNo, tenant, listed, erasedAt } = run;
  if (erasedAt !== null) return;
  await replaceTexts(queries, run, erasure, texts);
  await Promise.all([
    queries.run('DELETE FROM checkpoints WHERE run_no = $1', runNo),
    queries.run('DELETE FROM late_outcomes WHERE run_id = $1', runId),
    queries.run(ERASE_OWN, tenant, privateScope(runId)),
    queries.run(RECORD, runNo, at, by, reason, from, links.join(' '), remains, keyId, signature),
    queries.run(MARK, runNo, at, withoutError(listed)),
  ]);
}

/**
 * Waits for forks of the tree that are being made, lets no other begin, and says whether there is none. Once a run of the
 * tree is erased, a fork is refused in any case.
 */
async function mayBeErased(queries: Queries, runId: string): Promise<boolean> {
  const root = await queries.row<{ rootId: string }>(ROOT, runId);
  if (root === undefined || (await hasErasedRun(queries, root.rootId))) return true;
  await queries.run(LOCK_TREE, root.rootId);
  return (await queries.row(FORKS, root.rootId)) === undefined;
}

async function replaceTexts(
  queries: Queries,
  { runNo }: ErasedColumns,
  { runId, from }: ErasureRecord,
  texts: readonly string[],
): Promise<void> {
  const shorten = shortener(runId);
  for (let first = 0; first < texts.length; first += EVENTS_AT_ONCE) {
    const some = texts.slice(first, first + EVENTS_AT_ONCE);
    const short = some.map((text, index) => shorten(text, from + first + index));
    await queries.run(REPLACE, runNo, from + first, short);
  }
}

/** The tables that hold contents of runs. */
const TABLES = ['events', 'checkpoints', 'late_outcomes', 'runs', 'entries', 'entry_tags', 'model_answers'];

/**
 * Postgres keeps a replaced row until it is no longer visible to anyone and a vacuum comes by. An erasure has been done
 * also where this user may not vacuum, or the server does it by itself just now.
 */
async function removeOldRows(database: Database): Promise<void> {
  for (const table of TABLES) {
    await database.run(`VACUUM (SKIP_LOCKED, TRUNCATE FALSE) ${table}`).catch(() => undefined);
  }
}

const TREE = `
  WITH RECURSIVE tree (run_no, depth) AS (
    SELECT run_no, 0 FROM runs WHERE run_id = $1 UNION ALL
    SELECT child.run_no, tree.depth + 1 FROM tree JOIN runs AS child ON child.parent_no = tree.run_no)`;

/** Parents before their children. */
const MEMBERS = `${TREE}
  ${selectRuns('').replace('FROM runs AS run', 'FROM tree JOIN runs AS run ON run.run_no = tree.run_no')}
  ORDER BY tree.depth, run.run_no`;

const LOCK_TREE = `${TREE}
  SELECT 1 FROM tree JOIN runs AS run ON run.run_no = tree.run_no ORDER BY run.run_no FOR UPDATE OF run`;

/** Forks that were themselves erased or purged do not need their source any more. */
const FORKS = `${TREE},
  forks AS (
    SELECT fork.* FROM tree JOIN runs AS fork ON fork.base_no = tree.run_no
    UNION ALL
    SELECT fork.* FROM tree JOIN runs AS fork ON fork.source_no = tree.run_no)
  SELECT DISTINCT root.run_id AS "runId" FROM forks AS fork JOIN runs AS root ON root.run_no = fork.root_no
  WHERE fork.purged_at IS NULL AND fork.erased_at IS NULL`;

const ROOT = `
  SELECT root.run_id AS "rootId" FROM runs JOIN runs AS root ON root.run_no = runs.root_no WHERE runs.run_id = $1`;

const ERASED = `
  SELECT 1 FROM runs AS erased
  WHERE erased.root_no = (SELECT run_no FROM runs WHERE run_id = $1) AND erased.erased_at IS NOT NULL LIMIT 1`;

const FIND = `
  SELECT run_no AS "runNo", tenant, listed, erased_at AS "erasedAt" FROM runs WHERE run_id = $1 FOR UPDATE`;

const REPLACE = `
  UPDATE events SET data = given.text FROM unnest($3::text[]) WITH ORDINALITY AS given (text, place)
  WHERE events.run_no = $1 AND events.seq = $2::bigint + given.place - 1`;

const RECORD = `
  INSERT INTO erasures (run_no, at, by, reason, first, links, remains, key_id, signature)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

const MARK = 'UPDATE runs SET erased_at = $2, tags = NULL, listed = $3 WHERE run_no = $1';

/** Empties entries and removes their tags. An indexed entry stays in the index, without words. */
function emptying(which: string): string {
  return `
  WITH emptied AS (
    UPDATE entries SET content = '', tags = NULL, words = CASE WHEN words IS NOT NULL THEN ''::tsvector END
    WHERE NOT deleted AND ${which} RETURNING entry_no)
  DELETE FROM entry_tags WHERE entry_no = ANY(ARRAY(SELECT entry_no FROM emptied))`;
}

/** The memory scope that only this run and its children write to. */
const ERASE_OWN = emptying('scope_no = (SELECT scope_no FROM scopes WHERE tenant = $1 AND name = $2)');

/** What a tree has written to shared memory scopes. */
const ERASE_SHARED = emptying(`scope_no IN (SELECT scope_no FROM scopes WHERE tenant = $1 AND shared)
      AND (run_id = $2 OR starts_with(run_id, $2 || '.'))`);
