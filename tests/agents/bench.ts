import type { Effect, EffectOutcome } from '@baton/engine';
import type { ModelOutcome, SaidPart, ToolDescriptor, ToolResult } from '@baton/engine/ports';
import type { Agent, Json, JsonObject, ModelRequest, RunEvent } from '@baton/protocol';
import { type Bench, type BenchOptions, CALLER, settled, startTestEngine } from '../driver/test-engine.ts';

/** Live agents over the real driver. The test says what models and tools answer. */

export const AGENT_ID = 'local.desk.writer';

export const agent = (more: Partial<Agent> = {}): Agent => ({
  agentId: AGENT_ID,
  persona: 'Writer',
  modelClass: 'writing',
  systemPrompt: 'You write about {{topic}}.',
  promptSource: 'prompt:local.desk.writer',
  promptLayer: 'agent-intrinsic',
  packName: 'local.desk',
  packVersion: '1.0.0',
  ...more,
});

export const tool = (id: string, more: Partial<ToolDescriptor> = {}): ToolDescriptor => ({
  id,
  name: id.replaceAll(/[^a-zA-Z0-9_-]/g, '_'),
  parameters: { type: 'object' },
  transport: 'native',
  repeatable: 'yes',
  ...more,
});

const usage = { inputTokens: 10, outputTokens: 4 };

/** Answers of a model. */
export const said = (text: string, ...more: readonly SaidPart[]): ModelOutcome => ({
  result: { kind: 'said' },
  usage,
  parts: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...more],
});
export const calls = (name: string, input: Json = {}, id = `id-${name}`): SaidPart => ({
  type: 'tool-call',
  id,
  name,
  input,
});
export const valid = (data: Json): ModelOutcome => ({ result: { kind: 'valid' }, usage, data });
export const invalid = (problem: string): ModelOutcome => ({
  result: { kind: 'invalid', reason: 'schema-violation', problem },
  usage,
});
export const refused: ModelOutcome = { result: { kind: 'refused', text: 'No.' }, usage };

interface Outside {
  readonly agents?: readonly Agent[];
  readonly tools?: readonly ToolDescriptor[];
  /** The answer to the model call of this number, from 0. */
  readonly models:
    | readonly (ModelOutcome | EffectOutcome)[]
    | ((request: ModelRequest, at: number) => ModelOutcome);
  readonly call?: (request: JsonObject, effect: Effect) => ToolResult | Promise<ToolResult>;
}

interface AgentBench {
  readonly host: Bench;
  /** The requests that models were asked, as they were performed. */
  readonly requests: ModelRequest[];
  readonly toolCalls: { readonly request: JsonObject; readonly key: string; readonly again: boolean }[];
  readonly perform: NonNullable<BenchOptions['perform']>;
}

export async function agentBench(outside: Outside, options: BenchOptions = {}): Promise<AgentBench> {
  const requests: ModelRequest[] = [];
  const toolCalls: AgentBench['toolCalls'] = [];
  const { agents = [], tools = [], models } = outside;

  async function perform(effect: Effect): Promise<EffectOutcome> {
    const request = effect.request as JsonObject;
    switch (effect.kind) {
      case 'agent.prepare': {
        const own = request.own !== undefined;
        const found = agents.find(({ agentId }) => agentId === request.agentId);
        if (!own && found === undefined)
          return done({ problem: { code: 'agent_not_found', message: 'None.' } });
        return done({
          ...(!own && found && { agent: found as unknown as Json, version: found.packVersion }),
          provider: 'scripted',
          model: 'script',
          tools: tools as unknown as Json,
          degraded: [],
        });
      }
      case 'model.call': {
        const at = requests.length;
        requests.push(effect.request as unknown as ModelRequest);
        const answer = typeof models === 'function' ? models(effect.request as never, at) : models[at];
        if (answer === undefined) throw new Error(`no answer for model call ${at}`);
        return 'kind' in answer ? answer : done(answer as unknown as JsonObject);
      }
      case 'tool.call': {
        toolCalls.push({ request, key: effect.key, again: effect.again === true });
        const result = await (outside.call?.(request, effect) ?? { status: 'ok', output: 'fine' });
        return done({ ...result, durationMs: 3 } as unknown as JsonObject);
      }
      default:
        return { kind: 'done', outputs: {} };
    }
  }

  const host = await startTestEngine({ perform, ...options });
  return { host, requests, toolCalls, perform };
}

function done(outputs: JsonObject): EffectOutcome {
  return { kind: 'done', outputs };
}

export async function register(host: Bench, ...agents: readonly Agent[]): Promise<void> {
  for (const one of agents) {
    const reply = await host.execute({ kind: 'register-agent', caller: CALLER, agent: one, shared: false });
    if (!reply.ok) throw new Error(JSON.stringify(reply));
  }
}

/** Starts a run of the agent and waits until it can only wait. */
export async function invoke(
  host: Bench,
  inputs: JsonObject = { task: 'Write.' },
  more: JsonObject = {},
  agentId = AGENT_ID,
): Promise<string> {
  const body = { agentId, inputs, ...more } as never;
  const reply = await host.execute({ kind: 'create-run', caller: CALLER, body });
  if (!reply.ok || reply.value.kind !== 'run') throw new Error(JSON.stringify(reply));
  await settled();
  return reply.value.runId;
}

/** The types of the events of agents, in order. */
export async function agentTypes(host: Bench, runId: string): Promise<readonly string[]> {
  return (await host.types(runId)).filter((type) => type.startsWith('agent.'));
}

export async function payloads<T extends RunEvent['type']>(host: Bench, runId: string, type: T) {
  const events = (await host.events(runId)).filter((event) => event.type === type);
  return events.map(({ payload }) => payload) as Extract<RunEvent, { type: T }>['payload'][];
}
