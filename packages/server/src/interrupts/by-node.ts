import { type Json, ResolveInterrupt } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { callerOf, identityOf } from '../auth/bearer.ts';
import type { Routes } from '../http/context.ts';
import { type Answer, answerInterrupt } from './answer.ts';

/** Answers the interrupt that a node of a run waits for. The caller needs a key. */

const NodeParams = Type.Object({ runId: Type.String(), nodeId: Type.String() });
const Answered = Type.Object({ runId: Type.String(), status: Type.String() });

type AnswerRequest<B> = FastifyRequest<{ Params: Type.Static<typeof NodeParams>; Body: B }>;

export const answerByNodeRoute: Routes = (app, host) => {
  app.post(
    '/v1/runs/:runId/interrupts/:nodeId',
    {
      schema: {
        tags: ['interrupts'],
        summary: 'Answer the interrupt that a node waits for',
        params: NodeParams,
        body: ResolveInterrupt,
        response: { 200: Answered },
      },
      config: { access: 'approvals:respond' },
    },
    async (request: AnswerRequest<Type.Static<typeof ResolveInterrupt>>, reply) => {
      const { runId, nodeId } = request.params;
      const { resumeValue } = request.body;
      return answerInterrupt(host, request, reply, withKey(request, runId, nodeId, resumeValue));
    },
  );
};

/** The address that older clients use; the whole body is the answer. */
export const legacyApprovalRoute: Routes = (app, host) => {
  app.post(
    '/v1/runs/:runId/approvals/:nodeId',
    {
      schema: {
        tags: ['interrupts'],
        summary: 'Answer an approval',
        deprecated: true,
        params: NodeParams,
        body: Type.Unsafe<Readonly<Record<string, Json>>>({ type: 'object', required: ['action'] }),
        response: { 200: Answered },
      },
      config: { access: 'approvals:respond' },
    },
    async (request: AnswerRequest<Readonly<Record<string, Json>>>, reply) => {
      const { runId, nodeId } = request.params;
      const resumeValue = request.body;
      return answerInterrupt(host, request, reply, withKey(request, runId, nodeId, resumeValue));
    },
  );
};

function withKey(request: FastifyRequest, runId: string, nodeId: string, resumeValue: Json): Answer {
  const scopes = [...identityOf(request).scopes];
  return { caller: callerOf(request), runId, target: { nodeId }, resumeValue, viaToken: false, scopes };
}
