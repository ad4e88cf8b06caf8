import { BatonError, CONTRACTS, type Json } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import { callerOf, identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import { type Answer, answerInterrupt } from './answer.ts';

/** Answers the interrupt that a node of a run waits for. The caller needs a key. */

export const answerByNodeRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.answerInterrupt, async (request, reply) => {
    const { runId, nodeId } = request.params;
    const { resumeValue, interruptId } = request.body;
    const target = { nodeId, ...(interruptId !== undefined && { interruptId }) };
    return answerInterrupt(host, request, reply, withKey(request, runId, target, resumeValue));
  });
};

/** The address that older clients use; the whole body is the answer. */
export const legacyApprovalRoute: Routes = (app, host) => {
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
