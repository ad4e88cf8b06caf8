import Type, { type TInteger, type TSchema } from 'typebox';
import { closed } from '../schemas/parts.ts';
import {
  BulkCancel,
  CancelRun,
  CreateRun,
  EraseRun,
  PauseRun,
  ResumeRun,
  RunCreated,
  RunSnapshot,
} from '../schemas/run.ts';
import { RunSummary } from '../schemas/run-summary.ts';
import { RUN_STATUSES, type RunStatus } from '../status.ts';
import {
  Cursor,
  IfNoneMatch,
  json,
  NOT_MODIFIED,
  PageSize,
  type RouteContract,
  type Routes,
  RunMoved,
  RunParams,
} from './contract.ts';

const CONTROL_REFUSALS = ['run_state_conflict', 'run_held', 'run_unreadable'] as const;

/** A command that stops a run or lets it go on. */
function controlling<
  P extends RouteContract['path'],
  B extends TSchema,
  R extends RouteContract['responses'],
>(path: P, summary: string, body: B, responses: R) {
  return {
    method: 'POST',
    path,
    access: 'runs:cancel',
    idempotent: 'with-key',
    tag: 'runs',
    summary,
    params: RunParams,
    body,
    responses,
    refusals: ['run_terminal', ...CONTROL_REFUSALS],
  } as const satisfies RouteContract;
}

const CANCEL = 'Cancel a run and its children. A run that has ended is left as it is';
const cancelRun = {
  ...controlling('/v1/runs/{runId}/cancel', CANCEL, CancelRun, { 200: json(RunMoved) }),
  refusals: CONTROL_REFUSALS,
};
const pauseRun = controlling('/v1/runs/{runId}:pause', 'Pause a run', PauseRun, { 202: json(RunMoved) });
const resumeRun = controlling('/v1/runs/{runId}:resume', 'Resume a paused run', ResumeRun, {
  202: json(RunMoved),
});

export const RUN_CONTRACTS = {
  /** Starting, reading and controlling runs. */
  createRun: {
    method: 'POST',
    path: '/v1/runs',
    access: 'runs:create',
    idempotent: 'with-key',
    tag: 'runs',
    summary: 'Start a run',
    description:
      'With `Prefer: wait=<seconds>` the host answers when the run has ended or waits for an answer. ' +
      'The host calls nobody, so `callbackUrl` is refused; the link to answer an interrupt is in the snapshot.',
    headers: Type.Object({
      prefer: Type.Optional(Type.String({ description: '`wait=<seconds>`, 60 at most' })),
      traceparent: Type.Optional(Type.String({ description: 'W3C trace context; the answer repeats it' })),
    }),
    body: CreateRun,
    emptyBody: 'refused',
    responses: {
      201: json(RunCreated, 'The run; the whole snapshot where the caller preferred to wait'),
    },
    refusals: ['not_found', 'run_held', 'run_unreadable'],
  },
  readRun: {
    method: 'GET',
    path: '/v1/runs/{runId}',
    access: 'runs:read',
    idempotent: 'always',
    tag: 'runs',
    summary: 'The state of a run',
    params: RunParams,
    headers: IfNoneMatch,
    responses: { 200: json(RunSnapshot), 304: NOT_MODIFIED },
    refusals: ['run_unreadable'],
  },
  cancelRun,
  pauseRun,
  resumeRun,
  bulkCancelRuns: {
    method: 'POST',
    path: '/v1/runs:bulk-cancel',
    access: 'runs:cancel',
    idempotent: 'with-key',
    tag: 'runs',
    summary: 'Cancel many runs',
    body: BulkCancel,
    responses: {
      200: json(
        Type.Object({
          results: Type.Array(
            Type.Object({
              runId: Type.String(),
              ok: Type.Boolean(),
              status: Type.Optional(Type.String()),
              error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
            }),
          ),
        }),
      ),
    },
    refusals: [],
  },
  eraseRun: {
    method: 'POST',
    path: '/v1/runs/{runId}:erase',
    access: 'runs:erase',
    idempotent: 'with-key',
    tag: 'runs',
    summary: 'Erase the data of a run and its descendants',
    description:
      'This cannot be undone. Digests replace the payloads. A signed record replaces the links that can no ' +
      'longer be recomputed, so that audits still pass. The run must have ended, and no fork may need it.',
    params: RunParams,
    body: EraseRun,
    responses: {
      200: json(
        Type.Object({
          runId: Type.String(),
          erased: Type.Literal(true),
          runs: Type.Integer({ description: 'The number of erased runs: the run and its descendants' }),
        }),
      ),
    },
    refusals: ['run_state_conflict', 'run_has_forks', 'run_purged', 'run_held'],
  },
} as const satisfies Routes;

export const RUN_LIST_CONTRACTS = {
  /** All runs of a tenant: as pages, and as a feed of changes. */
  listRuns: {
    method: 'GET',
    path: '/v1/runs',
    access: 'runs:read',
    idempotent: 'always',
    tag: 'runs',
    summary: 'Runs, newest first',
    description:
      'The host looks at a bounded number of runs for each page. So a page can have fewer runs than `limit`, or none, ' +
      'while `nextCursor` says that there are more to look at.',
    query: Type.Object({
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 128,
          description:
            'The beginning of a run id, or a part of a workflow id or of a tag. Letters from A to Z match in either case',
        }),
      ),
      status: Type.Optional(
        Type.Array(Type.Unsafe<RunStatus>({ enum: [...RUN_STATUSES] }), {
          minItems: 1,
          maxItems: RUN_STATUSES.length,
          description: 'One or more, separated by commas or as repeated parameters',
        }),
      ),
      workflowId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
      tag: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
      parentRunId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
      roots: Type.Optional(Type.Boolean({ description: '`true`: only runs without a parent' })),
      createdAfter: Type.Optional(
        Type.String({ format: 'date-time', description: 'Created at this time or later' }),
      ),
      createdBefore: Type.Optional(
        Type.String({ format: 'date-time', description: 'Created before this time' }),
      ),
      limit: Type.Optional(PageSize),
      cursor: Type.Optional(Cursor),
    }),
    responses: {
      200: json(Type.Object({ runs: Type.Array(RunSummary), nextCursor: Type.Optional(Type.String()) })),
    },
    refusals: [],
  },
  watchRuns: {
    method: 'GET',
    path: '/v1/runs:watch',
    access: 'runs:read',
    idempotent: 'always',
    tag: 'runs',
    summary: 'The runs of the tenant that are created or change, as server-sent events',
    description:
      'A frame `run` has the summary of a run as it is now. A run has at most one frame in 250 ms, and a slow reader gets ' +
      'only the newest state of each run. A frame `reset` means that changes may have been missed, so that the reader ' +
      'has to read the list again. The first frame of a stream is a `reset`, because changes are not kept. The host ' +
      'ends the stream after ten minutes, and the reader opens it again.',
    responses: {
      200: {
        description: 'The changes, until the reader leaves',
        content: { 'text/event-stream': Type.String() },
      },
    },
    frames: Type.Union([RunSummary, Type.Object({}, closed)]),
    refusals: [],
  },
  countRuns: {
    method: 'GET',
    path: '/v1/runs:stats',
    access: 'runs:read',
    idempotent: 'always',
    tag: 'runs',
    summary: 'How many runs the tenant has, by status',
    description:
      'Child runs are counted, too. A status without runs is left out. The host counts to a bound; with `capped` there ' +
      'are more runs than the numbers say.',
    responses: {
      200: json(
        Type.Object({
          total: Type.Integer({ minimum: 0 }),
          byStatus: Type.Partial(
            Type.Object(
              Object.fromEntries(
                RUN_STATUSES.map((status) => [status, Type.Integer({ minimum: 1 })]),
              ) as Record<RunStatus, TInteger>,
            ),
          ),
          capped: Type.Optional(Type.Literal(true)),
        }),
      ),
    },
    refusals: [],
  },
} as const satisfies Routes;
