import { privateScope } from '@baton/engine/ports';
import { isTerminal, type RunStatus } from '@baton/protocol';
import { tellChanges } from '../commit/commit-row.ts';
import type { Database, Queries } from '../database/database.ts';
import { hasTurn } from '../database/locks.ts';
import { removingEntries } from '../memory/entry-remover.ts';
import { withoutError } from '../queries/listed-error.ts';
import type { Self } from '../self.ts';

interface RootColumns {
  readonly runNo: number;
  readonly tenant: string;
  readonly createdAt: number;
}

interface MemberColumns {
  readonly runNo: number;
  readonly runId: string;
  readonly status: RunStatus;
  readonly listed: string | null;
}

const START: RootColumns = { tenant: '', createdAt: -1, runNo: 0 };

/** So few that the statements of a large tree stay short. */
const RUNS_AT_ONCE = 100;

/** `another host` purges at this moment. Otherwise the runs that were purged: the whole tree, or none of it. */
type Purged = readonly MemberColumns[] | 'another host';

/**
 * Each call continues where the previous call stopped. It ends at `limit`, or after it has seen all trees. `onPurged` is
 * called for each run whose events were removed; other hosts are told by the transaction.
 */
export function treePurger(
  database: Database,
  self: Self,
  onPurged: (runId: string) => void,
): (before: number, limit: number) => Promise<number> {
  let last = START;

  return async (before, limit) => {
    let purged = 0;
    let rounds = last === START ? 1 : 2;
    while (rounds > 0 && purged < limit) {
      const root = await nextTree(database, last, before);
      if (root === undefined) {
        last = START;
        rounds -= 1;
        continue;
      }
      const runs = await database.transaction((queries) => purgeTree(queries, self, root, before));
      if (runs === 'another host') break;
      last = root;
      for (const { runId } of runs) onPurged(runId);
      if (runs.length > 0) purged += 1;
    }
    return purged;
  };
}

/** The root of the next tree that ended before `before`, ordered by tenant and creation. */
async function nextTree(
  queries: Queries,
  after: RootColumns,
  before: number,
): Promise<RootColumns | undefined> {
  let place = after;
  for (;;) {
    const { tenant, createdAt, runNo } = place;
    const found = await queries.row<RootColumns>(NEXT_ENDED, tenant, createdAt, runNo, before);
    if (found !== undefined) return found;
    const next = await queries.row<{ tenant: string | null }>(NEXT_TENANT, tenant);
    if (next === undefined || next.tenant === null) return undefined;
    place = { ...START, tenant: next.tenant };
  }
}

/** The rows of the tree are locked, so that nobody forks it from now on. Forks that were made before are seen. */
async function purgeTree(
  queries: Queries,
  self: Self,
  { runNo: rootNo, tenant }: RootColumns,
  before: number,
): Promise<Purged> {
  const [mine, tree] = await Promise.all([
    hasTurn(queries, 'purge'),
    queries.rows<MemberColumns>(MEMBERS, rootNo),
  ]);
  if (!mine) return 'another host';
  const runNos = tree.map(({ runNo }) => runNo);
  if (tree.some(({ status }) => !isTerminal(status))) return [];
  if ((await queries.row(NEEDED, runNos, rootNo)) !== undefined) return [];
  for (let first = 0; first < tree.length; first += RUNS_AT_ONCE) {
    await purgeRuns(queries, tree.slice(first, first + RUNS_AT_ONCE), tenant, before);
  }
  await tellChanges(
    queries,
    self,
    tree.map(({ runId }) => ({ kind: 'log', runId })),
  );
  return tree;
}

async function purgeRuns(
  queries: Queries,
  runs: readonly MemberColumns[],
  tenant: string,
  before: number,
): Promise<void> {
  const runNos = runs.map(({ runNo }) => runNo);
  const runIds = runs.map(({ runId }) => runId);
  const listed = runs.map((run) => withoutError(run.listed));
  const scopes = [tenant, runIds.map(privateScope)] as const;
  await Promise.all([
    queries.run('DELETE FROM events WHERE run_no = ANY($1)', runNos),
    queries.run('DELETE FROM checkpoints WHERE run_no = ANY($1)', runNos),
    queries.run('DELETE FROM late_outcomes WHERE run_id = ANY($1)', runIds),
    queries.run(ENTRIES, ...scopes),
    queries.run(`DELETE FROM scopes WHERE ${OF_RUNS}`, ...scopes),
    queries.run(MARK, before, runNos, listed),
  ]);
}

const NEXT_ENDED = `
  SELECT run_no AS "runNo", tenant, created_at AS "createdAt" FROM runs
  WHERE tenant = $1 AND parent_no IS NULL AND purged_at IS NULL
    AND created_at >= $2 AND (created_at > $2 OR run_no > $3) AND created_at < $4 AND updated_at < $4
    AND status IN ('completed', 'failed', 'cancelled')
  ORDER BY created_at, run_no LIMIT 1`;

const NEXT_TENANT = `
  SELECT min(tenant) AS tenant FROM runs WHERE tenant > $1 AND parent_no IS NULL AND purged_at IS NULL`;

const MEMBERS = `
  WITH RECURSIVE tree (run_no) AS (
    VALUES ($1::bigint) UNION ALL
    SELECT child.run_no FROM tree JOIN runs AS child ON child.parent_no = tree.run_no)
  SELECT run.run_no AS "runNo", run.run_id AS "runId", run.status, run.listed
  FROM tree JOIN runs AS run ON run.run_no = tree.run_no ORDER BY run.run_no FOR UPDATE OF run`;

/** Another tree needs a run of this one: its log begins with events of the run, or it is replaying the run. */
const NEEDED = `
  SELECT 1 FROM runs WHERE base_no = ANY($1) AND root_no <> $2 AND purged_at IS NULL
  UNION ALL
  SELECT 1 FROM runs
  WHERE source_no = ANY($1) AND root_no <> $2 AND status NOT IN ('completed', 'failed', 'cancelled')
  LIMIT 1`;

/** The private memory scopes of runs. */
const OF_RUNS = 'tenant = $1 AND name = ANY($2)';

const ENTRIES = removingEntries(
  `SELECT entry_no FROM entries WHERE scope_no IN (SELECT scope_no FROM scopes WHERE ${OF_RUNS})`,
  'SELECT count(*) FROM removed',
);

const MARK = `
  UPDATE runs SET purged_at = $1, listed = given.listed
  FROM unnest($2::bigint[], $3::text[]) AS given (run_no, listed) WHERE runs.run_no = given.run_no`;
