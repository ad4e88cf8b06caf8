import { columnsOf } from '../database/columns.ts';
import type { Self } from '../self.ts';
import type { Birth, RunMove, RunRows } from './run-rows.ts';
import type { Statement } from './statement.ts';

/**
 * Writes the rows of a batch. The slices are outdated if the rows are not as the batch expects them. The second statement
 * locks the rows of all runs that move, with their trees, so that other hosts wait or find the trees moved.
 */
export function writeRuns(self: Self, rows: RunRows): readonly Statement[] {
  const runs = rows.runs();
  const stored = runs.filter(({ birth }) => birth === undefined);
  const created = runs.filter((run): run is CreatedRun => run.birth !== undefined);
  const statements: Statement[] = [];
  if (rows.checks.length > 0) statements.push(checkTrees(rows.checks));
  if (stored.length > 0) statements.push(moveRuns(self, stored));
  if (created.length > 0) statements.push(createRuns(self, created));
  return statements;
}

function checkTrees(checks: RunRows['checks']): Statement {
  const { bigint } = columnsOf(checks);
  const values = [bigint('root', ({ rootNo }) => rootNo), bigint('place', ({ at }) => at)];
  return { sql: CHECK, values, rows: checks.length };
}

function moveRuns(self: Self, runs: readonly RunMove[]): Statement {
  const { bigint, boolean } = columnsOf(runs);
  const values = [
    ...stateColumns(runs),
    bigint('expected head', ({ first }) => first),
    bigint('place', ({ tree }) => tree?.from ?? null),
    boolean(({ tree }) => tree?.continues ?? false),
    self.hostNo,
  ];
  return { sql: MOVE, values, rows: runs.length };
}

type CreatedRun = RunMove & { readonly birth: Birth };

function createRuns(self: Self, runs: readonly CreatedRun[]): Statement {
  const { bigint, text } = columnsOf(runs.map(({ birth }) => birth));
  const values = [
    ...stateColumns(runs),
    text('run id', ({ record }) => record.runId),
    bigint('root', ({ rootNo }) => rootNo),
    bigint('parent', ({ parentNo }) => parentNo),
    text('node', ({ record }) => record.parentNodeId ?? null),
    text('tenant', ({ record }) => record.tenant),
    text('principal', ({ record }) => record.principal),
    text('workflow', ({ record }) => record.workflowId),
    bigint('version of the workflow', ({ record }) => record.workflowVersion),
    text('tags', ({ record: { tags } }) => (tags.length === 0 ? null : JSON.stringify(tags))),
    bigint('time of creation', ({ record }) => record.createdAt),
    text('role', ({ record }) => record.role ?? null),
    bigint('source', ({ base }) => base.sourceNo),
    bigint('base', ({ base }) => base.baseNo),
    bigint('cut', ({ base }) => base.baseSeq),
    text('fork', ({ record: { fork } }) => (fork === undefined ? null : JSON.stringify(fork))),
    self.hostNo,
  ];
  return { sql: CREATE, values, rows: runs.length };
}

/** The columns that both statements set, in the order of `STATE`. */
function stateColumns(runs: readonly RunMove[]): readonly Buffer[] {
  const { bigint, text, boolean } = columnsOf(runs);
  return [
    bigint('number', ({ runNo }) => runNo),
    bigint('head', ({ head }) => head),
    text('status', ({ status }) => status),
    boolean(({ goalMet }) => goalMet),
    text('listed state', ({ listed }) => listed),
    bigint('time', ({ at }) => at),
    text('chain', ({ chain }) => chain),
    bigint('place', ({ tree }) => tree?.to ?? null),
    boolean(({ tree }) => tree?.wake !== undefined),
    bigint('deadline', ({ tree }) => tree?.wake?.at ?? null),
    boolean(({ tree }) => tree?.wake?.unfinished ?? false),
  ];
}

const STATE = [
  ['run_no', 'bigint'],
  ['head', 'bigint'],
  ['status', 'text'],
  ['goal_met', 'boolean'],
  ['listed', 'text'],
  ['at', 'bigint'],
  ['chain', 'text'],
  ['places', 'bigint'],
  ['wakes', 'boolean'],
  ['wake_at', 'bigint'],
  ['unfinished', 'boolean'],
] as const;

/** The parameters as a table with these columns. */
function given(columns: readonly (readonly [name: string, type: string])[]): string {
  const arrays = columns.map(([, type], at) => `$${at + 1}::${type}[]`);
  return `unnest(${arrays.join(', ')}) AS given (${columns.map(([name]) => name).join(', ')})`;
}

const MOVED = [...STATE, ['first', 'bigint'], ['from_place', 'bigint'], ['continues', 'boolean']] as const;
const MOVER = `$${MOVED.length + 1}::bigint`;

/** A keeper that is no longer at work keeps nothing. */
const KEPT_BY_OTHER = `
  run.keeper <> ${MOVER} AND EXISTS (SELECT FROM hosts WHERE hosts.host_no = run.keeper)`;

const MOVE = `
  UPDATE runs AS run SET
    head = coalesce(given.head, run.head),
    status = coalesce(given.status, run.status),
    goal_met = CASE WHEN given.head IS NULL THEN run.goal_met ELSE given.goal_met END,
    listed = coalesce(given.listed, run.listed),
    updated_at = coalesce(given.at, run.updated_at),
    chain = coalesce(given.chain, run.chain),
    places = coalesce(given.places, run.places),
    wake_at = CASE WHEN given.wakes THEN given.wake_at ELSE run.wake_at END,
    unfinished = CASE WHEN given.wakes THEN given.unfinished ELSE run.unfinished END,
    keeper = CASE WHEN given.wakes THEN ${MOVER} ELSE run.keeper END
  FROM ${given(MOVED)}
  WHERE run.run_no = given.run_no
    AND (given.first IS NULL OR run.head = given.first)
    AND (given.from_place IS NULL OR run.places = given.from_place)
    AND NOT (given.continues AND run.keeper IS NOT NULL AND ${KEPT_BY_OTHER})
  RETURNING 1`;

const CREATED = [
  ...STATE,
  ['run_id', 'text'],
  ['root_no', 'bigint'],
  ['parent_no', 'bigint'],
  ['parent_node_id', 'text'],
  ['tenant', 'text'],
  ['principal', 'text'],
  ['workflow_id', 'text'],
  ['workflow_version', 'bigint'],
  ['tags', 'text'],
  ['created_at', 'bigint'],
  ['role', 'text'],
  ['source_no', 'bigint'],
  ['base_no', 'bigint'],
  ['base_seq', 'bigint'],
  ['fork', 'text'],
] as const;

const CREATE = `
  INSERT INTO runs (run_no, run_id, root_no, parent_no, parent_node_id, tenant, principal, workflow_id,
    workflow_version, status, tags, created_at, updated_at, head, wake_at, unfinished, role, goal_met, listed,
    source_no, base_no, base_seq, fork, chain, places, keeper)
  SELECT run_no, run_id, root_no, parent_no, parent_node_id, tenant, principal, workflow_id,
    workflow_version, status, tags, created_at, at, head, wake_at, unfinished, role, goal_met, listed,
    source_no, base_no, base_seq, fork, chain, places,
    CASE WHEN wakes THEN $${CREATED.length + 1}::bigint END
  FROM ${given(CREATED)}
  ON CONFLICT (run_id) DO NOTHING
  RETURNING 1`;

/** Where the trees are, without a lock: nothing is written to them. */
const CHECK = `
  SELECT 1 FROM unnest($1::bigint[], $2::bigint[]) AS given (run_no, place)
  JOIN runs USING (run_no) WHERE runs.places = given.place`;
