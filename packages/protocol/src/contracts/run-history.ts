import Type from 'typebox';
import { DebugBundle } from '../schemas/debug-bundle.ts';
import { MERGE_REASONS, VERDICTS } from '../schemas/events/handoff-events.ts';
import { ForkRun, RetryRun, RunForked } from '../schemas/run.ts';
import { Bag, DateTime, json, QueryCount, type RouteContract, type Routes, RunParams } from './contract.ts';

/** Earlier states of runs, evidence about them, and forks. */

const forkRun = {
  method: 'POST',
  path: '/v1/runs/{runId}:fork',
  access: 'runs:create',
  idempotent: 'with-key',
  tag: 'runs',
  summary: 'Replay a run, or branch off at any of its events',
  description:
    'A replay repeats its source with the recorded outcomes and reports differences; it performs no effects. ' +
    'A branch starts with the state before event `fromSeq`, goes on by itself and performs effects. ' +
    'An index within a step of the run is moved to the beginning of the step; the answer has both indexes.',
  params: RunParams,
  body: ForkRun,
  responses: { 201: json(RunForked) },
  refusals: [
    'run_state_conflict',
    'run_held',
    'run_erased',
    'run_purged',
    'run_unreadable',
    'fork_point_not_found',
    'replay_memory_snapshot_unavailable',
  ],
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
          stateDiff: Type.Object({}),
          truncated: Type.Boolean(),
        },
        { additionalProperties: false },
      ),
    ),
  },
  refusals: ['run_erased', 'run_purged', 'run_unreadable'],
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
  checksum: Type.Optional(Type.String({ description: 'As recorded in the log of the run' })),
  recomputed: Type.Optional(Type.String({ description: 'Recomputed from the log of the child' })),
  editedChecksum: Type.Optional(Type.String()),
  recomputedEdit: Type.Optional(Type.String()),
  matches: Type.Optional(Type.Boolean({ description: 'Absent when no checksum was recorded' })),
  remote: Type.Optional(
    Type.Object(
      {
        hostId: Type.String(),
        runId: Type.String(),
        checksum: Type.String({ description: 'As the other host has signed it' }),
        recomputed: Type.Optional(Type.String({ description: 'Recomputed from the recorded outputs' })),
        signature: Type.Unsafe<string>({ enum: ['valid', 'invalid', 'key-unknown'] }),
        matches: Type.Optional(
          Type.Boolean({ description: 'Absent when the signature or the outputs cannot be checked here' }),
        ),
      },
      { description: 'The run on another host for which the child stands' },
    ),
  ),
  variables: Type.Array(
    Type.Object({
      name: Type.String(),
      from: Type.String({ description: 'The name of the variable in the child' }),
      matches: Type.Boolean({ description: 'The value is the output of the child, or the edit of a person' }),
      current: Type.Boolean({ description: 'The variable was not written again since' }),
    }),
  ),
});

export const RUN_HISTORY_CONTRACTS = {
  forkRun,
  retryRun: {
    method: 'POST',
    path: '/v1/runs/{runId}:retry',
    access: 'runs:create',
    idempotent: 'with-key',
    tag: 'runs',
    summary: 'Retry a failed run from the node that failed',
    description: 'The retry is a new run. Work that was done before the failure is not repeated.',
    params: RunParams,
    body: RetryRun,
    responses: { 201: json(RunForked) },
    refusals: forkRun.refusals,
  },
  readRunState: {
    method: 'GET',
    path: '/v1/runs/{runId}/state',
    access: 'runs:read',
    idempotent: 'always',
    tag: 'runs',
    summary: 'The state of a run before any of its events',
    description: 'Variables, channels, nodes and memory, as a fork from this event would start with them.',
    params: RunParams,
    query: Type.Object({
      at: Type.Optional(
        Type.Integer({
          ...QueryCount,
          description: 'The state before this event. Absent: the present state.',
        }),
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
    refusals: [
      'run_erased',
      'run_purged',
      'run_unreadable',
      'fork_point_not_found',
      'replay_memory_snapshot_unavailable',
    ],
  },
  diffRuns,
  /** The same route under the address of the protocol. */
  diffRunsByVerb: { ...diffRuns, path: '/v1/runs/{runId}:diff' },
  exportRun: {
    method: 'GET',
    path: '/v1/runs/{runId}/debug-bundle',
    access: 'runs:read',
    idempotent: 'always',
    tag: 'runs',
    summary: 'A run with its descendants as one document, with credentials masked',
    description: '`baton open` shows it on another machine, where it can be read, compared and forked.',
    params: RunParams,
    responses: { 200: json(DebugBundle) },
    refusals: ['run_erased', 'run_purged', 'run_unreadable'],
  },
  readAttestations: {
    method: 'GET',
    path: '/v1/runs/{runId}/attestations',
    access: 'audit:read',
    idempotent: 'always',
    tag: 'runs',
    summary: 'Merges from children, and whether the logs still match the recorded checksums',
    params: RunParams,
    responses: {
      200: json(
        Type.Object({ runId: Type.String(), attestations: Type.Array(Merge), allMatch: Type.Boolean() }),
      ),
    },
    refusals: ['run_erased', 'run_purged', 'run_unreadable'],
  },
  readArtifact: {
    method: 'GET',
    path: '/v1/runs/{runId}/artifacts/{artifactId}',
    access: 'artifacts:read',
    idempotent: 'always',
    tag: 'runs',
    summary: 'An artifact that a person was asked to approve',
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
    refusals: ['run_erased', 'run_purged', 'run_unreadable'],
  },
} as const satisfies Routes;
