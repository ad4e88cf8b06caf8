import Type from 'typebox';
import { DateTime, json, type Routes, RunMoved, RunParams } from './contract.ts';

/** For operators: health, readiness, metrics and held runs. */

const Status = Type.Object({ status: Type.String() });

/** How many held runs one answer lists. */
export const MAX_HELD_RUNS_SHOWN = 1000;

const HeldRun = Type.Object({
  runId: Type.String(),
  tenant: Type.String(),
  workflowId: Type.String(),
  workflowVersion: Type.Integer(),
  reason: Type.Unsafe<string>({
    enum: ['lost', 'stalled', 'kin'],
    description:
      '`lost`: the process ended three times while it worked on the run. `stalled`: the engine worked on the run ' +
      'for too long. `kin`: three other runs of the same version of its workflow are held.',
  }),
  heldAt: DateTime,
});

export const OPERATION_CONTRACTS = {
  checkHealth: {
    method: 'GET',
    path: '/healthz',
    access: 'public',
    idempotent: 'always',
    tag: 'operations',
    summary: 'Whether the process is alive',
    responses: { 200: json(Status) },
    refusals: [],
  },
  checkReadiness: {
    method: 'GET',
    path: '/readyz',
    access: 'public',
    idempotent: 'always',
    tag: 'operations',
    summary: 'Whether the host accepts work',
    description:
      'Checks that the engine thread answers and that the store can be written. ' +
      'If not, `status` gives the reason: `stopping`, ' +
      '`engine-not-answering`, `storage-full` or `storage-failing`.',
    responses: {
      200: json(
        Type.Object({
          status: Type.String(),
          heldRuns: Type.Integer({ minimum: 0, description: 'Runs that stopped the engine and are held' }),
        }),
      ),
      503: json(Status, 'The host does not accept work'),
    },
    refusals: [],
  },
  readMetrics: {
    method: 'GET',
    path: '/metrics',
    access: 'public',
    idempotent: 'always',
    tag: 'operations',
    summary: 'Counters in the Prometheus format',
    description: 'Needs no key. The counters are about the whole host and name no tenant, run or workflow.',
    responses: { 200: { description: 'Done', content: { 'text/plain': Type.String() } } },
    refusals: [],
  },
  listHeldRuns: {
    method: 'GET',
    path: '/v1/host/held-runs',
    access: 'host:operate',
    idempotent: 'always',
    tag: 'operations',
    summary: 'Runs that stopped the engine and are held',
    description: `The held runs of all tenants, newest first, at most ${MAX_HELD_RUNS_SHOWN}.`,
    responses: {
      200: json(Type.Object({ total: Type.Integer({ minimum: 0 }), runs: Type.Array(HeldRun) })),
    },
    refusals: [],
  },
  releaseHeldRun: {
    method: 'POST',
    path: '/v1/host/held-runs/{runId}:release',
    access: 'host:operate',
    idempotent: 'with-key',
    tag: 'operations',
    summary: 'Release a held run',
    description: 'The count of its losses begins again at 0. If it stops the engine again, it is held again.',
    params: RunParams,
    responses: { 200: json(RunMoved) },
    refusals: ['run_state_conflict'],
  },
} as const satisfies Routes;
