import type { CreateRun, RunStatus, RunSummary } from '@baton/protocol';
import { type RunsChange, watchRuns } from '../events/watch-runs.ts';
import type { CallOptions, CommandOptions, Connection } from '../http/connection.ts';
import type { Answer, Body, Query } from '../http/contract-types.ts';
import { pagesOf } from '../http/pages.ts';
import { ask } from '../http/request.ts';
import type { Run } from './run.ts';
import { runHandle } from './run-handle.ts';

/** The values of the variables with which a run begins. */
export type RunInputs = Readonly<Record<string, unknown>>;

export interface StartOptions extends CommandOptions, Omit<CreateRun, 'workflowId' | 'agentId' | 'inputs'> {
  /** W3C trace context. The spans of the run become part of this trace. */
  readonly traceparent?: string;
}

/** Which runs are listed. */
export interface RunFilters extends Omit<Query<'listRuns'>, 'limit' | 'cursor' | 'status'> {
  /** One status or several. */
  readonly status?: RunStatus | readonly RunStatus[];
}

export interface ListRunsOptions extends CallOptions, RunFilters {}

export interface RunPageOptions extends ListRunsOptions, Pick<Query<'listRuns'>, 'limit' | 'cursor'> {}

/** The runs of the tenant of the key. */
export interface Runs {
  /**
   * Starts a run of a workflow. The client makes an idempotency key for the call, so a request whose answer was lost
   * and that is sent again starts no second run.
   */
  start(workflowId: string, inputs?: RunInputs, options?: StartOptions): Promise<Run>;
  /** Runs, newest first. Pages are read as the caller goes on. */
  list(options?: ListRunsOptions): AsyncGenerator<RunSummary, void, undefined>;
  /**
   * One page of runs, for callers that keep the cursor themselves. A page with filters can be short or empty although
   * there are more: `nextCursor` is absent only on the last page.
   */
  page(options?: RunPageOptions): Promise<Answer<'listRuns'>>;
  /**
   * Every run of the tenant that is created or changes, from now on. After a `reset` the caller reads the list again;
   * the first item is a `reset`. A slow caller gets only the newest state of each run.
   *
   * @example
   * ```ts
   * import { connect } from '@baton/client';
   *
   * const baton = connect({ url: 'http://127.0.0.1:4747', key: 'a-key' });
   * for await (const change of baton.runs.watch()) {
   *   if (change.kind === 'run') console.log(change.run.runId, change.run.status);
   * }
   * ```
   */
  watch(options?: CallOptions): AsyncGenerator<RunsChange, void, undefined>;
  /** How many runs there are, by status. */
  stats(options?: CallOptions): Promise<Answer<'countRuns'>>;
  /** Cancels up to 100 runs, and tells the outcome of each. */
  cancelMany(
    runIds: readonly string[],
    options?: Omit<Body<'bulkCancelRuns'>, 'runIds'> & CommandOptions,
  ): Promise<Answer<'bulkCancelRuns'>>;
}

export function runs(connection: Connection): Runs {
  return {
    start: (workflowId, inputs, options) => startRun(connection, { workflowId, inputs }, options),
    list({ signal, ...query } = {}) {
      return pagesOf(async (cursor) => {
        const page = await ask(connection, 'listRuns', { query: { ...query, limit: 200, cursor }, signal });
        return { items: page.runs, next: page.nextCursor };
      });
    },
    page: ({ signal, ...query } = {}) => ask(connection, 'listRuns', { query, signal }),
    stats: (options) => ask(connection, 'countRuns', options),
    watch: (options = {}) => watchRuns(connection, options),
    cancelMany: (runIds, { reason, ...options } = {}) =>
      ask(connection, 'bulkCancelRuns', { body: { runIds, reason }, ...options }),
  };
}

/** Starts a run of a workflow or of an agent. */
export async function startRun(
  connection: Connection,
  what: { readonly workflowId?: string; readonly agentId?: string; readonly inputs?: RunInputs },
  { signal, idempotencyKey, traceparent, ...rest }: StartOptions = {},
): Promise<Run> {
  const { runId } = await ask(connection, 'createRun', {
    body: { ...what, ...rest },
    headers: { traceparent },
    signal,
    idempotencyKey,
  });
  return runHandle(connection, runId);
}
