import Type from 'typebox';
import { DebugBundle } from '../schemas/debug-bundle.ts';
import {
  BulkCancel,
  CancelRun,
  CreateRun,
  EraseRun,
  PauseRun,
  ResumeRun,
  RunCreated,
  RunSnapshot,
  RunSummary,
} from '../schemas/run.ts';
import { RUN_STATUSES, type RunStatus } from '../status.ts';
import {
  Cursor,
  IfNoneMatch,
  json,
  NOT_MODIFIED,
  PageSize,
  type RouteContract,
  RunMoved,
  RunParams,
} from './contract.ts';

/** Starting, reading and moving runs. */

const createRun = {
  method: 'POST',
  path: '/v1/runs',
  access: 'runs:create',
  idempotent: 'with-key',
  tag: 'runs',
  summary: 'Start a run',
  description: 'With `Prefer: wait=<seconds>` the answer comes when the run has ended or waits for someone.',
  headers: Type.Object({
    prefer: Type.Optional(Type.String({ description: '`wait=<seconds>`, 60 at most' })),
    traceparent: Type.Optional(Type.String({ description: 'W3C trace context; the answer repeats it' })),
  }),
  body: CreateRun,
  responses: {
    201: json(RunCreated, 'The run; the whole snapshot where the caller preferred to wait'),
  },
  refusals: ['not_found', 'workflow_too_large'],
} as const satisfies RouteContract;

const listRuns = {
  method: 'GET',
  path: '/v1/runs',
  access: 'runs:read',
  idempotent: 'always',
  tag: 'runs',
  summary: 'Runs, newest first',
  query: Type.Object({
    status: Type.Optional(Type.Unsafe<RunStatus>({ enum: [...RUN_STATUSES] })),
    workflowId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    tag: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    parentRunId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    limit: Type.Optional(PageSize),
    cursor: Type.Optional(Cursor),
  }),
  responses: {
    200: json(Type.Object({ runs: Type.Array(RunSummary), nextCursor: Type.Optional(Type.String()) })),
  },
  refusals: [],
} as const satisfies RouteContract;

const readRun = {
  method: 'GET',
  path: '/v1/runs/{runId}',
  access: 'runs:read',
  idempotent: 'always',
  tag: 'runs',
  summary: 'The state of a run',
  params: RunParams,
  headers: IfNoneMatch,
  responses: { 200: json(RunSnapshot), 304: NOT_MODIFIED },
  refusals: [],
} as const satisfies RouteContract;

const cancelRun = {
  method: 'POST',
  path: '/v1/runs/{runId}/cancel',
  access: 'runs:cancel',
  idempotent: 'with-key',
  tag: 'runs',
  summary: 'Cancel a run and its children',
  params: RunParams,
  body: CancelRun,
  responses: { 200: json(RunMoved) },
  refusals: ['run_terminal', 'run_state_conflict', 'run_held'],
} as const satisfies RouteContract;

const pauseRun = {
  method: 'POST',
  path: '/v1/runs/{runId}:pause',
  access: 'runs:cancel',
  idempotent: 'with-key',
  tag: 'runs',
  summary: 'Pause a run',
  params: RunParams,
  body: PauseRun,
  responses: { 202: json(RunMoved) },
  refusals: ['run_terminal', 'run_state_conflict', 'run_held'],
} as const satisfies RouteContract;

const resumeRun = {
  method: 'POST',
  path: '/v1/runs/{runId}:resume',
  access: 'runs:cancel',
  idempotent: 'with-key',
  tag: 'runs',
  summary: 'Let a paused run go on',
  params: RunParams,
  body: ResumeRun,
  responses: { 202: json(RunMoved) },
  refusals: ['run_terminal', 'run_state_conflict', 'run_held'],
} as const satisfies RouteContract;

const bulkCancelRuns = {
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
} as const satisfies RouteContract;

const importRun = {
  method: 'POST',
  path: '/v1/runs:import',
  access: 'runs:import',
  idempotent: 'with-key',
  tag: 'runs',
  summary: 'Take in a run that another Baton has exported',
  description:
    'The tree must have ended. It becomes history of the caller’s tenant under a name of its own: it can be ' +
    'read, audited and replayed, and nothing moves it. Its definitions are not registered, its memory and ' +
    'files are seen by its own forks only, and its approvals count for nothing in a branch.',
  body: DebugBundle,
  responses: {
    201: json(
      Type.Object({
        runId: Type.String({ description: 'What the run is called here' }),
        from: Type.String({ description: 'What it is called where it comes from' }),
        runs: Type.Integer({ description: 'How many runs were taken in' }),
        verified: Type.Boolean({
          description: 'Every log led to the link of the hash chain that it came with',
        }),
        vouchedBy: Type.Optional(
          Type.String({
            description: 'The known audit key that signed the bundle; absent when nobody vouches',
          }),
        ),
      }),
    ),
  },
  refusals: ['bundle_invalid', 'too_many_reads'],
} as const satisfies RouteContract;

const eraseRun = {
  method: 'POST',
  path: '/v1/runs/{runId}:erase',
  access: 'runs:erase',
  idempotent: 'with-key',
  tag: 'runs',
  summary: 'Take out of the store what a run and its children held',
  description:
    'For good. Digests take the place of payloads, and a signed record that of the links that can no ' +
    'longer be recomputed, so that the audit still holds. The run must have ended, and no fork may need it.',
  params: RunParams,
  body: EraseRun,
  responses: {
    200: json(
      Type.Object({
        runId: Type.String(),
        erased: Type.Literal(true),
        runs: Type.Integer({ description: 'The run and everything below it' }),
      }),
    ),
  },
  refusals: ['run_state_conflict', 'run_has_forks', 'run_purged', 'run_held'],
} as const satisfies RouteContract;

export const RUN_CONTRACTS = {
  createRun,
  listRuns,
  readRun,
  cancelRun,
  pauseRun,
  resumeRun,
  bulkCancelRuns,
  importRun,
  eraseRun,
} as const;
