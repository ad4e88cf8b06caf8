import Type, { type TInteger } from 'typebox';
import { closed } from '../schemas/parts.ts';
import { RunSummary } from '../schemas/run-summary.ts';
import { RUN_STATUSES, type RunStatus } from '../status.ts';
import { Cursor, json, PageSize, type RouteContract } from './contract.ts';

/** All runs of a tenant: as pages, and as a feed of changes. */

const listRuns = {
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
} as const satisfies RouteContract;

const watchRuns = {
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
} as const satisfies RouteContract;

const countRuns = {
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
} as const satisfies RouteContract;

export const RUN_LIST_CONTRACTS = { listRuns, watchRuns, countRuns } as const;
