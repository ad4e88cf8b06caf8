import { hideText } from '@baton/engine';
import type { InterruptRow } from '@baton/engine/ports';
import { BatonError, CONTRACTS, isoTime, type Json, type WaitingInterrupt } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import { callerOf, identityOf } from '../auth/bearer.ts';
import type { Identity } from '../auth/keyring.ts';
import { bind } from '../http/bind.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { runOf } from '../runs/run-of.ts';
import { type Answer, answerInterrupt } from './answer.ts';
import { answerByTokenRoute, lookByTokenRoute } from './by-token.ts';
import { interruptLink } from './token.ts';

export const interruptRoutes: Routes = (app, host) => {
  listInterruptsRoute(app, host);
  answerByNodeRoute(app, host);
  legacyApprovalRoute(app, host);
  lookByTokenRoute(app, host);
  answerByTokenRoute(app, host);
};

/** Lists the open interrupts of all runs of a tenant, or of one run and its descendants. */

const listInterruptsRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.listInterrupts, async (request) => {
    const { limit = 50, cursor, runId } = request.query;
    const identity = identityOf(request);
    const { tenant } = identity;
    if (runId !== undefined) await runOf(host, { tenant, runId });
    const page = await host.reads.interrupts(tenant, limit, cursor, runId);
    return { interrupts: page.items.map((row) => entryOf(host, identity, row)), nextCursor: page.next };
  });
};

function entryOf(host: HostContext, identity: Identity, row: InterruptRow): WaitingInterrupt {
  return {
    runId: row.runId,
    rootRunId: row.rootId,
    workflowId: row.workflowId,
    nodeId: row.nodeId,
    interruptId: row.interruptId,
    kind: row.kind,
    title: hideText(row.title),
    requestedAt: isoTime(row.requestedAt),
    expiresAt: row.expiresAt === undefined ? undefined : isoTime(row.expiresAt),
    ...interruptLink(host, identity, row),
  };
}

/** Answers the interrupt that a node of a run waits for. The caller needs a key. */

const answerByNodeRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.answerInterrupt, async (request, reply) => {
    const { runId, nodeId } = request.params;
    const { resumeValue, interruptId } = request.body;
    const target = { nodeId, ...(interruptId !== undefined && { interruptId }) };
    return answerInterrupt(host, request, reply, withKey(request, runId, target, resumeValue));
  });
};

/** The address that older clients use; the whole body is the answer. */
const legacyApprovalRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.answerApproval, async (request, reply) => {
    const { runId, nodeId } = request.params;
    const resumeValue = request.body;
    try {
      return await answerInterrupt(host, request, reply, withKey(request, runId, { nodeId }, resumeValue));
    } catch (problem) {
      throw withoutGone(problem);
    }
  });
};

/**
 * Older clients do not know the status 410. For them, a question that expired or ended with its run is a
 * conflict.
 */
function withoutGone(problem: unknown): unknown {
  if (!(problem instanceof BatonError) || problem.code !== 'interrupt_gone') return problem;
  return new BatonError('interrupt_resolved', problem.message, problem.details);
}

function withKey(
  request: FastifyRequest,
  runId: string,
  target: Answer['target'],
  resumeValue: Json,
): Answer {
  const scopes = [...identityOf(request).scopes];
  return { caller: callerOf(request), runId, target, resumeValue, viaToken: false, scopes };
}
