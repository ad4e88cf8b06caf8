import Type, { type TSchema } from 'typebox';
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
} from '../schemas/run.ts';
import { IfNoneMatch, json, NOT_MODIFIED, type RouteContract, RunMoved, RunParams } from './contract.ts';

/** Starting, reading and controlling runs. */

const createRun = {
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
  refusals: ['not_found', 'workflow_too_large', 'run_held', 'run_unreadable'],
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
  refusals: ['run_unreadable'],
} as const satisfies RouteContract;

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
  summary: 'Import a run that another Baton host has exported',
  description:
    'The tree must have ended. It belongs to the caller’s tenant and gets new ids. It can be ' +
    'read, audited and replayed, but not continued. Its definitions are not registered, its memory and ' +
    'files are visible only to its own forks, and its approvals do not count in a branch.',
  body: DebugBundle,
  responses: {
    201: json(
      Type.Object({
        runId: Type.String({ description: 'The id of the run on this host' }),
        from: Type.String({ description: 'The id of the run on the host that exported it' }),
        runs: Type.Integer({ description: 'The number of imported runs' }),
        verified: Type.Boolean({
          description: 'The hash chain of every log was recomputed and matches the bundle',
        }),
        vouchedBy: Type.Optional(
          Type.String({
            description: 'The known audit key that signed the bundle; absent when no known key did',
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
} as const satisfies RouteContract;

export const RUN_CONTRACTS = {
  createRun,
  readRun,
  cancelRun,
  pauseRun,
  resumeRun,
  bulkCancelRuns,
  importRun,
  eraseRun,
} as const;
