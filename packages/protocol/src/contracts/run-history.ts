import Type from 'typebox';
import { DebugBundle } from '../schemas/debug-bundle.ts';
import { MERGE_REASONS, VERDICTS } from '../schemas/events.ts';
import { ForkRun, Imported, RetryRun, RunForked } from '../schemas/run.ts';
import { Bag, DateTime, json, type RouteContract, RunParams } from './contract.ts';

/** What a run was and what stands behind it, and runs that are made out of the past of others. */

const forkRun = {
  method: 'POST',
  path: '/v1/runs/{runId}:fork',
  access: 'runs:create',
  idempotent: 'with-key',
  tag: 'runs',
  summary: 'Replay a run, or branch off from any of its events',
  description:
    'A replay does what its source did, with what was recorded, and reports where it comes out differently. A branch goes on for real from the state before event `fromSeq`.',
  params: RunParams,
  body: ForkRun,
  responses: { 201: json(RunForked) },
  refusals: [
    'run_state_conflict',
    'run_held',
    'run_erased',
    'run_purged',
    'fork_point_not_found',
    'replay_memory_snapshot_unavailable',
    'workflow_too_large',
  ],
} as const satisfies RouteContract;

const retryRun = {
  method: 'POST',
  path: '/v1/runs/{runId}:retry',
  access: 'runs:create',
  idempotent: 'with-key',
  tag: 'runs',
  summary: 'Go on with a failed run at the node it failed at',
  description: 'The failed run stays as it is; what it had done before the failure is not done again.',
  params: RunParams,
  body: RetryRun,
  responses: { 201: json(RunForked) },
  refusals: forkRun.refusals,
} as const satisfies RouteContract;

const readRunState = {
  method: 'GET',
  path: '/v1/runs/{runId}/state',
  access: 'runs:read',
  idempotent: 'always',
  tag: 'runs',
  summary: 'A run as it was before any of its events',
  description: 'Variables, channels, nodes and memory: what a fork from that index starts with.',
  params: RunParams,
  query: Type.Object({
    at: Type.Optional(
      Type.Integer({ minimum: 0, description: 'The state before this event. Absent: as it is now.' }),
    ),
  }),
  responses: {
    200: json(
      Type.Object({
        runId: Type.String(),
        at: Type.Integer(),
        time: Type.Optional(Type.String()),
        status: Type.String(),
        iteration: Type.Integer(),
        variables: Bag,
        channels: Bag,
        nodeStates: Bag,
        memory: Bag,
      }),
    ),
  },
  refusals: ['run_erased', 'run_purged', 'fork_point_not_found', 'replay_memory_snapshot_unavailable'],
} as const satisfies RouteContract;

const diffRuns = {
  method: 'GET',
  path: '/v1/runs/{runId}/diff',
  access: 'runs:read',
  idempotent: 'always',
  tag: 'runs',
  summary: 'Compare two runs, event by event',
  params: RunParams,
  query: Type.Object({ against: Type.String({ minLength: 1, maxLength: 128 }) }),
  responses: {
    200: json(
      Type.Object(
        {
          a: Type.String(),
          b: Type.String(),
          divergedAtSeq: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
          eventDiffs: Type.Array(
            Type.Object({
              seq: Type.Integer(),
              op: Type.Unsafe<string>({ enum: ['added', 'removed', 'changed'] }),
              aEvent: Type.Optional(Bag),
              bEvent: Type.Optional(Bag),
            }),
          ),
          stateDiff: Type.Object({
            imported: Type.Optional(Type.Object({ a: Type.Optional(Imported), b: Type.Optional(Imported) })),
          }),
          truncated: Type.Boolean(),
        },
        { additionalProperties: false },
      ),
    ),
  },
  refusals: ['run_erased', 'run_purged'],
} as const satisfies RouteContract;

/** The same under the address that the protocol names. */
const diffRunsByVerb = { ...diffRuns, path: '/v1/runs/{runId}:diff' } as const satisfies RouteContract;

const exportRun = {
  method: 'GET',
  path: '/v1/runs/{runId}/debug-bundle',
  access: 'runs:read',
  idempotent: 'always',
  tag: 'runs',
  summary: 'A run with everything below it as one document, with credentials masked',
  description: 'Another Baton takes it in with `POST /v1/runs:import`, and can read and replay the run.',
  params: RunParams,
  responses: { 200: json(DebugBundle) },
  refusals: ['run_erased', 'run_purged'],
} as const satisfies RouteContract;

const Merge = Type.Object({
  nodeId: Type.String(),
  workerId: Type.String(),
  childRunId: Type.String(),
  merged: Type.Boolean(),
  why: Type.Unsafe<string>({ enum: [...MERGE_REASONS, 'revised', 'undecided'] }),
  approvedBy: Type.Array(Type.String()),
  verdict: Type.Optional(
    Type.Object({
      verdict: Type.Unsafe<string>({ enum: [...VERDICTS] }),
      agentId: Type.String(),
      criticRunId: Type.Optional(Type.String()),
    }),
  ),
  checksum: Type.Optional(Type.String({ description: 'As recorded on the run' })),
  recomputed: Type.Optional(Type.String({ description: 'From the log of the child' })),
  editedChecksum: Type.Optional(Type.String()),
  recomputedEdit: Type.Optional(Type.String()),
  matches: Type.Optional(Type.Boolean({ description: 'Absent where no checksum was asked for' })),
  variables: Type.Array(
    Type.Object({
      name: Type.String(),
      from: Type.String({ description: 'What the child called it' }),
      matches: Type.Boolean({ description: 'The value is the one handed over, or the edit of it' }),
      current: Type.Boolean({ description: 'Nothing else has written the variable since' }),
    }),
  ),
});

const readAttestations = {
  method: 'GET',
  path: '/v1/runs/{runId}/attestations',
  access: 'audit:read',
  idempotent: 'always',
  tag: 'runs',
  summary: 'What came to a gate, and whether the logs still agree with the recorded checksums',
  params: RunParams,
  responses: {
    200: json(
      Type.Object({ runId: Type.String(), attestations: Type.Array(Merge), allMatch: Type.Boolean() }),
    ),
  },
  refusals: ['run_erased', 'run_purged'],
} as const satisfies RouteContract;

const readArtifact = {
  method: 'GET',
  path: '/v1/runs/{runId}/artifacts/{artifactId}',
  access: 'artifacts:read',
  idempotent: 'always',
  tag: 'runs',
  summary: 'An artifact that a run put before a person',
  params: Type.Object({ runId: Type.String(), artifactId: Type.String() }),
  responses: {
    200: json(
      Type.Object({
        artifactId: Type.String(),
        artifactType: Type.String(),
        runId: Type.String(),
        nodeId: Type.Optional(Type.String()),
        data: Type.Unsafe({}),
        createdAt: DateTime,
      }),
    ),
  },
  refusals: ['run_erased', 'run_purged'],
} as const satisfies RouteContract;

export const RUN_HISTORY_CONTRACTS = {
  forkRun,
  retryRun,
  readRunState,
  diffRuns,
  diffRunsByVerb,
  exportRun,
  readAttestations,
  readArtifact,
} as const;
