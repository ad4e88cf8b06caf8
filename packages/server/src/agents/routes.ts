import { randomUUID } from 'node:crypto';
import { resolveAgent } from '@baton/agents';
import { foldToRead } from '@baton/engine';
import type { RunRow, ToolDescriptor, Tools } from '@baton/engine/ports';
import {
  type Agent,
  type AgentEntry,
  type AgentTool,
  agentWorkflowId,
  BatonError,
  CONTRACTS,
  digest,
  isJsonObject,
  isTerminal,
  isWaiting,
  type Json,
} from '@baton/protocol';
import type { FastifyReply } from 'fastify';
import { callerOf, identityOf } from '../auth/bearer.ts';
import { capabilitiesOf } from '../discovery/routes.ts';
import { waitForRun } from '../events/wait.ts';
import { bind, type RequestTo } from '../http/bind.ts';
import { carryOut } from '../http/command.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { inTurn } from '../http/fair-schedule.ts';
import { idempotencyOf } from '../http/idempotency.ts';
import { waitSeconds } from '../http/prefer.ts';
import { traceparentOf } from '../http/traceparent.ts';
import { readSnapshot } from '../runs/snapshot.ts';

export const agentRoutes: Routes = (app, host) => {
  bind(app, CONTRACTS.registerAgent, (request, reply) => registerAgent(host, request, reply));

  bind(app, CONTRACTS.listAgents, async (request) => {
    const { tenant } = identityOf(request);
    const all = await host.agents.all(tenant);
    const agents = await Promise.all(all.map(({ agent }) => shown(host, tenant, agent)));
    return { agents, total: agents.length };
  });

  bind(app, CONTRACTS.readAgent, async (request) => {
    const { tenant } = identityOf(request);
    return shown(host, tenant, await agentOf(host, tenant, request.params.agentId));
  });

  bind(app, CONTRACTS.listAgentTools, async (request) => {
    const { tenant } = identityOf(request);
    const { toolAllowlist = [] } = await agentOf(host, tenant, request.params.agentId);
    const { tools, degraded } = await host.tools.surface(tenant, toolAllowlist);
    return { tools: tools.map(toolOf), missing: [...degraded] };
  });

  bind(app, CONTRACTS.messageAgent, (request, reply) => messageAgent(host, request, reply));
};

async function shown(host: HostContext, tenant: string, agent: Agent) {
  const capabilities = capabilitiesOf(host) as unknown as Json;
  return entryOf(agent, await degradedFor(agent, tenant, host.tools, capabilities));
}

async function agentOf(host: HostContext, tenant: string, agentId: string): Promise<Agent> {
  const found = await host.agents.newest(tenant, agentId);
  if (found === undefined) throw new BatonError('not_found', 'There is no agent with this id.', { agentId });
  return found;
}

async function registerAgent(
  host: HostContext,
  request: RequestTo<typeof CONTRACTS.registerAgent>,
  reply: FastifyReply,
): Promise<unknown> {
  const agent = resolveAgent(request.body);
  const caller = callerOf(request);
  const command = { kind: 'register-agent', caller, agent, shared: false } as const;
  const idempotency = idempotencyOf(request);
  const { version, created } = await carryOut(
    host.engine,
    reply,
    { ...command, ...(idempotency && { idempotency }) },
    'workflow',
  );
  reply.code(created ? 201 : 200).header('location', `/v1/agents/${agent.agentId}`);
  return { agentId: agent.agentId, version };
}

const USUAL_WAIT_SECONDS = 60;

/** A message is a run of the agent. The run has a tag with the conversation, and its result is the reply. */
async function messageAgent(
  host: HostContext,
  request: RequestTo<typeof CONTRACTS.messageAgent>,
  reply: FastifyReply,
): Promise<unknown> {
  const { agentId } = request.params;
  const { message, conversationId = randomUUID() } = request.body;
  const caller = callerOf(request);
  await agentOf(host, caller.tenant, agentId);
  const idempotency = idempotencyOf(request);
  const messageTag = idempotency && `message:${digest(idempotency.key)}`;
  const before = await historyOf(host, caller.tenant, agentId, conversationId);
  if (before.open && (messageTag === undefined || !before.open.tags.includes(messageTag))) {
    const { runId, status } = before.open;
    const text = 'The agent has not answered the last message of this conversation yet.';
    throw new BatonError('run_state_conflict', text, { runId, runStatus: status });
  }
  const runId = before.open?.runId ?? (await start());
  const seconds = waitSeconds(request.headers.prefer) ?? USUAL_WAIT_SECONDS;
  const run = { tenant: caller.tenant, runId };
  await waitForRun(
    host,
    reply.raw,
    run,
    seconds * 1000,
    ({ status }) => isTerminal(status) || isWaiting(status),
  );
  const snapshot = await readSnapshot(host, runId, identityOf(request));
  const status = snapshot?.status ?? 'running';
  const answer = status === 'completed' ? { reply: textOf(snapshot?.variables.result as Json) } : {};
  const failure = snapshot?.error ? { error: snapshot.error } : {};
  return { conversationId, runId, status, ...answer, ...failure, statusUrl: `/v1/runs/${runId}` };

  async function start(): Promise<string> {
    const created = await carryOut(
      host.engine,
      reply,
      {
        kind: 'create-run',
        caller,
        body: {
          agentId,
          inputs: {
            task: message,
            ...(before.turns.length > 0 && { history: before.turns as unknown as Json }),
          },
          tags: [conversationTag(conversationId), ...(messageTag === undefined ? [] : [messageTag])],
        },
        source: 'chat-mention',
        scopes: [...identityOf(request).scopes],
        traceparent: traceparentOf(request, reply),
        ...(idempotency && { idempotency }),
      },
      'run',
    );
    host.metrics.runsCreated.inc();
    return created.runId;
  }
}

/** A conversation with an agent: the runs with its tag. Each message is a run, and the answer is its result. */

/** The latest turns that the agent is told, and how long they may be together. */
const MOST_TURNS = 20;
const MOST_CHARACTERS = 32 * 1024;

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

function conversationTag(conversationId: string): string {
  return `conversation:${conversationId}`;
}

/** The earlier turns, the oldest first, or the run that has not answered the last message yet. */
async function historyOf(
  { reads, turns: schedule }: Pick<HostContext, 'reads' | 'turns'>,
  tenant: string,
  agentId: string,
  conversationId: string,
): Promise<{ readonly turns: readonly Turn[]; readonly open?: RunRow }> {
  const workflowId = agentWorkflowId(agentId);
  const tag = conversationTag(conversationId);
  const page = await reads.runs({ tenant, workflowId, tag, limit: MOST_TURNS });
  const open = page.items.find(({ status }) => !isTerminal(status));
  if (open) return { turns: [], open };
  const turns: Turn[] = [];
  let left = MOST_CHARACTERS;
  for (const row of page.items) {
    const view = row.status === 'completed' ? await reads.runView(tenant, row.runId, 0) : undefined;
    if (view?.stored === undefined || row.erasedAt !== undefined) continue;
    const { stored } = view;
    const { variables, inputs } = await inTurn(schedule, tenant, () => foldToRead(stored));
    const exchange: Turn[] = [
      { role: 'user', content: textOf(inputs.task) },
      { role: 'assistant', content: textOf(variables.result) },
    ];
    left -= exchange.reduce((sum, { content }) => sum + content.length, 0);
    if (left < 0) break;
    turns.unshift(...exchange);
  }
  return { turns };
}

function textOf(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The tools and capabilities that an agent asks for and that this host cannot give it now. */
async function degradedFor(
  agent: Agent,
  tenant: string,
  tools: Pick<Tools, 'surface'>,
  capabilities: Json,
): Promise<readonly string[]> {
  const missing = (agent.requiresCapabilities ?? []).filter((name) => !provides(capabilities, name));
  const { degraded } = await tools.surface(tenant, agent.toolAllowlist ?? []);
  return [...missing, ...degraded];
}

/** `host.workspace` and `workspace.supported` both name the capability `workspace`. */
function provides(capabilities: Json, name: string): boolean {
  let at: Json | undefined = capabilities;
  for (const part of name.replace(/^host\./, '').split('.')) {
    at = isJsonObject(at) && Object.hasOwn(at, part) ? at[part] : undefined;
  }
  if (isJsonObject(at)) return at.supported !== false;
  return at !== undefined && at !== false;
}

/**
 * An agent as the inventory shows it. Prompts and schemas are not shown. `degraded` names tools and capabilities
 * that the agent asks for and that this host cannot give it now.
 */
function entryOf(agent: Agent, degraded: readonly string[]): AgentEntry {
  const { agentId, persona, label, description, modelClass, packName, packVersion, memoryShape } = agent;
  const threshold = agent.confidence?.defaultThreshold;
  return {
    agentId,
    persona,
    label: label ?? persona,
    ...(description !== undefined && { description }),
    modelClass,
    packName,
    packVersion,
    toolAllowlist: [...(agent.toolAllowlist ?? [])],
    hasHandoffSchemas: agent.taskSchema !== undefined || agent.returnSchema !== undefined,
    ...(memoryShape && { memoryShape }),
    ...(threshold !== undefined && { confidenceThreshold: threshold }),
    ...(degraded.length > 0 && { degraded: [...degraded] }),
    // This host has every kind of memory that a manifest can ask for.
    ...(memoryShape && { memoryDegraded: false }),
  };
}

/** A tool as its users see it. The schemas are for models. */
function toolOf(tool: ToolDescriptor): AgentTool {
  const { id, description, transport, scopes = [], approval, repeatable } = tool;
  return {
    id,
    ...(description !== undefined && { description }),
    transport,
    scopes: [...scopes],
    approval: approval === 'always',
    repeatable,
  };
}
