import type { CreateRun, DebugBundle, RunSummary } from '@baton/protocol';
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

export interface ListRunsOptions extends CallOptions, Omit<Query<'listRuns'>, 'limit' | 'cursor'> {}

/** The runs of the tenant of the key. */
export interface Runs {
  /**
   * Starts a run of a workflow. The client makes an idempotency key for the call, so a request whose answer was lost
   * and that is sent again starts no second run.
   */
  start(workflowId: string, inputs?: RunInputs, options?: StartOptions): Promise<Run>;
  /** Runs, newest first. Pages are read as the caller goes on. */
  list(options?: ListRunsOptions): AsyncGenerator<RunSummary, void, undefined>;
  /** One page of runs, for callers that keep the cursor themselves. */
  page(options?: Query<'listRuns'> & CallOptions): Promise<Answer<'listRuns'>>;
  /** Cancels up to 100 runs, and tells the outcome of each. */
  cancelMany(
    runIds: readonly string[],
    options?: Omit<Body<'bulkCancelRuns'>, 'runIds'> & CommandOptions,
  ): Promise<Answer<'bulkCancelRuns'>>;
  /** Imports a run that another host has exported with `run.bundle()`. */
  import(bundle: DebugBundle, options?: CommandOptions): Promise<Answer<'importRun'>>;
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
    cancelMany: (runIds, { reason, ...options } = {}) =>
      ask(connection, 'bulkCancelRuns', { body: { runIds, reason }, ...options }),
    import: (bundle, options) => ask(connection, 'importRun', { body: bundle, ...options }),
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
