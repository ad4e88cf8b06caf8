import { resolveAgent } from '@baton/agents';
import { type Agent, BatonError, type Json, type JsonObject, type RunEvent } from '@baton/protocol';
import { callerOf, carryOut, type HostContext, type Routes } from '@baton/server/extension';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { CONFORMANCE_TOOL_NAME, type ConformanceTool, conformanceTool } from './conformance-tools.ts';
import { type DrivenRun, driveStarted, eventsOf } from './driven-run.ts';

/** Live agents with a script, so that a suite can choose what their model answers. */

const LiveInvoke = Type.Object({
  source: Type.Optional(Type.String()),
  returnSchemaRef: Type.Optional(Type.String()),
  forceInvalidResult: Type.Optional(Type.Boolean()),
  attemptTool: Type.Optional(Type.String()),
});

const Dispatch = Type.Object({
  task: Type.Optional(Type.Unsafe<JsonObject>({ type: 'object' })),
  validateHandoff: Type.Optional(Type.Boolean()),
  availableTools: Type.Optional(Type.Array(Type.String())),
});

const ToolHooks = Type.Object({
  principal: Type.Optional(Type.String({ minLength: 1 })),
  toolName: Type.Optional(Type.String()),
  requiredScopes: Type.Optional(Type.Array(Type.String())),
  args: Type.Optional(Type.Unsafe<JsonObject>({ type: 'object' })),
  simulateRateLimitExhausted: Type.Optional(Type.Boolean()),
  simulateToolError: Type.Optional(Type.Boolean()),
});

export const liveAgentSeams: Routes = (app, host) => {
  const config = { access: 'workflows:write' } as const;
  app.post(
    '/v1/host/sample/agents/live-invoke',
    { schema: { body: LiveInvoke }, config },
    async (request: FastifyRequest<{ Body: Type.Static<typeof LiveInvoke> }>, reply) => {
      const run = await invoke(host, request, reply, liveAgent(request.body));
      return { runId: run.runId, status: await run.status() };
    },
  );
  app.post(
    '/v1/host/sample/agents/:agentId/dispatch',
    { schema: { body: Dispatch }, config },
    async (
      request: FastifyRequest<{ Params: { agentId: string }; Body: Type.Static<typeof Dispatch> }>,
      reply,
    ) => {
      const { agentId } = request.params;
      const agent = await host.agents.newest(callerOf(request).tenant, agentId);
      if (agent === undefined)
        throw new BatonError('not_found', 'There is no agent with this id.', { agentId });
      const run = await start(host, request, reply, agentId, request.body.task ?? {});
      const escalated = (await run.status()) === 'waiting-approval';
      if (escalated) await run.abandon();
      const events = (await run.events()).filter(({ type }) => type.startsWith('agent.'));
      return {
        runId: run.runId,
        status: escalated ? 'escalated' : await run.status(),
        events: events.map((event: RunEvent) => ({
          type: event.type,
          agentId,
          ...(event.payload as object),
        })),
      };
    },
  );
  app.post(
    '/v1/host/sample/toolhooks/invoke',
    { schema: { body: ToolHooks }, config },
    async (request: FastifyRequest<{ Body: Type.Static<typeof ToolHooks> }>, reply) => {
      const { principal = 'core.system', args = {}, toolName: _name, ...behaviour } = request.body;
      const run = await invoke(host, request, reply, toolAgent(behaviour, args), principal);
      const events = await run.events();
      const [called] = eventsOf(events, 'agent.toolCalled');
      const [returned] = eventsOf(events, 'agent.toolReturned');
      return { toolCalled: called?.payload ?? {}, toolReturned: returned?.payload ?? {} };
    },
  );
};

function liveAgent({
  returnSchemaRef,
  forceInvalidResult,
  attemptTool,
}: Type.Static<typeof LiveInvoke>): Agent {
  const schema = { type: 'object', required: ['ok'], properties: { ok: { const: true } } };
  const result = { ok: forceInvalidResult !== true };
  const last = returnSchemaRef === undefined ? { text: 'Done.' } : { json: result };
  return resolveAgent({
    manifest: {
      agentId: 'core.conformance.live',
      persona: 'Conformance agent',
      modelClass: 'general',
      systemPrompt: 'You are driven by a conformance suite.',
      toolAllowlist: ['baton:calculate'],
      ...(returnSchemaRef !== undefined && { handoff: { returnSchemaRef } }),
      baton: {
        model: 'scripted/script',
        script: [
          ...(attemptTool === undefined ? [] : [{ calls: [{ tool: attemptTool, input: {} }] }]),
          { text: 'I know.' },
          last,
        ],
      },
    },
    ...(returnSchemaRef !== undefined && { files: { [returnSchemaRef]: schema } }),
  });
}

function toolAgent(behaviour: ConformanceTool, args: JsonObject): Agent {
  return resolveAgent({
    manifest: {
      agentId: 'core.conformance.tools',
      persona: 'Conformance agent',
      modelClass: 'general',
      systemPrompt: 'You are driven by a conformance suite.',
      toolAllowlist: [conformanceTool(behaviour)],
      baton: {
        model: 'scripted/script',
        script: [{ calls: [{ tool: CONFORMANCE_TOOL_NAME, input: args as Json }] }, { text: 'Done.' }],
      },
    },
  });
}

async function invoke(
  host: HostContext,
  request: FastifyRequest,
  reply: FastifyReply,
  agent: Agent,
  principal?: string,
): Promise<DrivenRun> {
  const caller = callerOf(request);
  await carryOut(host.engine, reply, { kind: 'register-agent', caller, agent, shared: false }, 'workflow');
  return start(host, request, reply, agent.agentId, { task: 'Do it.' }, principal);
}

/** A run for another principal than the caller's has no scopes. */
async function start(
  host: HostContext,
  request: FastifyRequest,
  reply: FastifyReply,
  agentId: string,
  inputs: JsonObject,
  principal?: string,
): Promise<DrivenRun> {
  const own = callerOf(request);
  const caller = principal === undefined ? own : { ...own, principal };
  const body = { agentId, inputs };
  const scopes = principal === undefined ? {} : { scopes: [] };
  const command = { kind: 'create-run', caller, body, ...scopes } as const;
  const { runId } = await carryOut(host.engine, reply, command, 'run');
  return driveStarted(host, reply, caller, runId);
}
