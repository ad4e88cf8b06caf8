import {
  isHeld,
  type TroubledColumns,
  type TroubleReads,
  type TroubleStore,
  toTroubled,
} from '@baton/engine/ports';
import type { Database, Queries } from '../database/database.ts';
import type { Self } from '../self.ts';

const LIVE = "run.status NOT IN ('completed', 'failed', 'cancelled')";

const TROUBLED = `FROM troubled_trees AS tree JOIN runs AS run ON run.run_no = tree.root_no AND ${LIVE}`;

const SELECT = `
  SELECT run.run_id AS "rootId", run.tenant, run.workflow_id AS "workflowId",
    run.workflow_version AS "workflowVersion", tree.losses, tree.held_at AS "heldAt", tree.reason
  ${TROUBLED}`;

/** A tree that is released continues on the host that has released it. */
export function troubleStore(database: Database, self: Self): TroubleStore {
  return {
    countLoss: async (rootId) => (await database.row<{ losses: number }>(COUNT, [rootId]))?.losses ?? 0,
    async forgetLosses(rootId) {
      await database.run(FORGET, rootId);
    },
    async holdTrees(rootIds, reason, at) {
      await database.transaction((queries) => queries.run(HOLD, [...rootIds], at, reason));
    },
    releaseTree: (rootId) =>
      database.transaction(async (queries) => (await queries.run(RELEASE, [rootId], self.hostNo)) > 0),
    troubledTrees: async () =>
      (await database.rows<TroubledColumns>(`${SELECT} ORDER BY tree.root_no`)).map(toTroubled),
  };
}

export function troubleReads(database: Database): TroubleReads {
  const heldCount = async (queries: Queries) => (await queries.row<{ held: number }>(HELD_COUNT))?.held ?? 0;
  return {
    heldTrees: (limit) =>
      database.snapshot(async (queries) => {
        const [total, held] = await Promise.all([
          heldCount(queries),
          queries.rows<TroubledColumns>(HELD, limit),
        ]);
        return { total, trees: held.map(toTroubled).filter(isHeld) };
      }),
    heldCount: () => heldCount(database),
  };
}

/** The rows of the roots are locked first, in the order of their numbers. */
const ROOTS = `
  WITH root AS MATERIALIZED (
    SELECT run.run_no FROM runs AS run WHERE run.run_id = ANY($1::text[]) AND run.root_no = run.run_no AND ${LIVE}
    ORDER BY run.run_no FOR NO KEY UPDATE
  )`;

const COUNT = `${ROOTS}
  INSERT INTO troubled_trees AS tree (root_no, losses) SELECT run_no, 1 FROM root
  ON CONFLICT (root_no) DO UPDATE SET losses = tree.losses + 1 RETURNING losses`;

const FORGET = `
  DELETE FROM troubled_trees
  WHERE held_at IS NULL AND root_no = (SELECT run_no FROM runs WHERE run_id = $1)`;

const HOLD = `${ROOTS}, held AS (
    INSERT INTO troubled_trees (root_no, losses, held_at, reason)
    SELECT run_no, 0, $2::bigint, $3::text FROM root
    ON CONFLICT (root_no) DO UPDATE SET held_at = excluded.held_at, reason = excluded.reason
  )
  UPDATE runs SET wake_at = NULL, unfinished = false FROM root WHERE runs.run_no = root.run_no`;

const RELEASE = `${ROOTS}, released AS (
    DELETE FROM troubled_trees AS tree USING root
    WHERE tree.root_no = root.run_no AND tree.held_at IS NOT NULL RETURNING tree.root_no
  )
  UPDATE runs SET wake_at = NULL, unfinished = true, keeper = $2
  FROM released WHERE runs.run_no = released.root_no`;

const HELD = `${SELECT}
  WHERE tree.held_at IS NOT NULL ORDER BY tree.held_at DESC, tree.root_no DESC LIMIT $1`;

const HELD_COUNT = `SELECT count(*) AS held ${TROUBLED} WHERE tree.held_at IS NOT NULL`;
