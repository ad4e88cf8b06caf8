import Type from 'typebox';
import type { Json } from '../json.ts';
import { ResolveInterrupt, ResolveNodeInterrupt } from '../schemas/run.ts';
import { Cursor, DateTime, json, PageSize, type RouteContract, type Routes, RunMoved } from './contract.ts';

/** The questions of runs to people, and the answers. */

const WaitingInterrupt = Type.Object({
  runId: Type.String(),
  rootRunId: Type.String(),
  workflowId: Type.String(),
  nodeId: Type.String(),
  interruptId: Type.String(),
  kind: Type.String(),
  title: Type.String(),
  requestedAt: DateTime,
  expiresAt: Type.Optional(DateTime),
  interruptToken: Type.Optional(Type.String()),
  callbackUrl: Type.Optional(Type.String()),
});
export type WaitingInterrupt = Type.Static<typeof WaitingInterrupt>;

const LinkedInterrupt = Type.Object({
  runId: Type.String(),
  interruptId: Type.String(),
  nodeId: Type.String(),
  kind: Type.String(),
  key: Type.String(),
  data: Type.Unsafe({}),
  requestedAt: DateTime,
  expiresAt: Type.Optional(DateTime),
});
export type LinkedInterrupt = Type.Static<typeof LinkedInterrupt>;

const NodeParams = Type.Object({ runId: Type.String(), nodeId: Type.String() });
const TokenParams = Type.Object({ token: Type.String() });

const answerInterrupt = {
  method: 'POST',
  path: '/v1/runs/{runId}/interrupts/{nodeId}',
  access: 'approvals:respond',
  idempotent: 'with-key',
  tag: 'interrupts',
  summary: 'Answer the interrupt that a node waits for',
  params: NodeParams,
  body: ResolveNodeInterrupt,
  responses: { 200: json(RunMoved) },
  refusals: [
    'run_terminal',
    'run_state_conflict',
    'run_held',
    'run_unreadable',
    'interrupt_resolved',
    'interrupt_gone',
    'correlation_mismatch',
  ],
} as const satisfies RouteContract;

export const INTERRUPT_CONTRACTS = {
  listInterrupts: {
    method: 'GET',
    path: '/v1/interrupts',
    access: 'runs:read',
    idempotent: 'always',
    tag: 'interrupts',
    summary: 'Open interrupts, oldest first',
    query: Type.Object({
      runId: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 128,
          description: 'Only those of this run and its descendants',
        }),
      ),
      limit: Type.Optional(PageSize),
      cursor: Type.Optional(Cursor),
    }),
    responses: {
      200: json(
        Type.Object({
          interrupts: Type.Array(WaitingInterrupt),
          nextCursor: Type.Optional(Type.String()),
        }),
      ),
    },
    refusals: ['not_found'],
  },
  answerInterrupt,
  /** The address that older clients use; the whole body is the answer. */
  answerApproval: {
    method: 'POST',
    path: '/v1/runs/{runId}/approvals/{nodeId}',
    access: 'approvals:respond',
    idempotent: 'with-key',
    tag: 'interrupts',
    summary: 'Answer an approval',
    deprecated: true,
    params: NodeParams,
    body: Type.Unsafe<Readonly<Record<string, Json>>>({ type: 'object', required: ['action'] }),
    responses: { 200: json(RunMoved) },
    refusals: answerInterrupt.refusals,
  },
  readInterruptLink: {
    method: 'GET',
    path: '/v1/interrupts/{token}',
    access: 'public',
    idempotent: 'always',
    tag: 'interrupts',
    summary: 'Read the interrupt of a link',
    params: TokenParams,
    responses: { 200: json(LinkedInterrupt) },
    refusals: ['unauthenticated', 'forbidden', 'interrupt_gone', 'run_unreadable'],
  },
  answerInterruptLink: {
    method: 'POST',
    path: '/v1/interrupts/{token}',
    access: 'public',
    idempotent: 'with-key',
    tag: 'interrupts',
    summary: 'Answer the interrupt of a link',
    params: TokenParams,
    body: ResolveInterrupt,
    responses: { 200: json(RunMoved) },
    refusals: ['unauthenticated', 'forbidden', ...answerInterrupt.refusals],
  },
} as const satisfies Routes;
