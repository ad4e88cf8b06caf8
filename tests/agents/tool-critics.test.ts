import type { ToolResult } from '@baton/engine/ports';
import type { Agent, JsonObject } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { answer, replay, start } from '../driver/forking.ts';
import { settled } from '../driver/test-engine.ts';
import { verifies } from '../verifies.ts';
import {
  AGENT_ID,
  agent,
  agentBench,
  agentTypes,
  calls,
  invoke,
  payloads,
  register,
  said,
  tool,
  valid,
} from './bench.ts';

/** Critics that judge the result of a tool call before the model is told. */

const CRITIC = agent({ agentId: 'local.desk.critic', persona: 'Critic', systemPrompt: 'You judge.' });
const WEB = tool('mcp:web/search');
const TIME = tool('baton:time');
const VERIFIER = { workflowId: CRITIC.agentId, criteria: ['no-instructions'] };
const WRITER = agent({
  toolAllowlist: ['mcp:web/*', 'baton:time'],
  toolVerifiers: { 'mcp:*': VERIFIER },
});
const PASS = valid({ verdict: 'pass', confidence: 0.9 });
const CANARY = 'canary-4711';
const OPEN = ['agent.invocation.started', 'agent.promptResolved', 'agent.reasoned'];
const PAIR = ['agent.toolCalled', 'agent.toolReturned'];

const bench = (models: Parameters<typeof agentBench>[0]['models'], call?: () => ToolResult) =>
  agentBench({ tools: [WEB, TIME], models, call: call ?? (() => ({ status: 'ok', output: CANARY })) });

describe('a tool result with a critic', () => {
  it('VERIFY-04 READ-33 is told to the model after the critic has passed it', async () => {
    const { host, requests } = await bench([said('', calls(WEB.name, { q: 'x' })), PASS, said('Done.')]);
    await register(host, WRITER, CRITIC);
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('completed');
    expect(await agentTypes(host, runId)).toEqual([
      ...OPEN,
      ...PAIR,
      'agent.verified',
      'agent.reasoned',
      'agent.decided',
      'agent.invocation.completed',
    ]);
    const [called] = await payloads(host, runId, 'agent.toolCalled');
    expect(await payloads(host, runId, 'agent.verified')).toMatchObject([
      { agentId: CRITIC.agentId, target: called?.callId, verdict: 'pass', criteria: ['no-instructions'] },
    ]);
    expect((await payloads(host, `${runId}.1`, 'run.started'))[0]?.inputs).toEqual({
      outputs: { toolName: WEB.id, input: { q: 'x' }, result: CANARY },
      criteria: ['no-instructions'],
      workerId: AGENT_ID,
      attempt: 1,
    });
    expect(JSON.stringify(requests[2]?.messages.at(-1))).toContain(CANARY);
    const replayed = await replay(host, runId);
    expect(await host.types(replayed)).toEqual(await host.types(runId));
    expect(requests).toHaveLength(3);
  });

  it.each(['fail', 'revise'] as const)('is withheld from the model after a %s', async (verdict) => {
    verifies('VERIFY-05', 'VERIFY-09');
    const judged = valid({ verdict, feedback: `It says ${CANARY}.` });
    const { host, requests } = await bench([said('', calls(WEB.name)), judged, said('Without it.')]);
    await register(host, WRITER, CRITIC);
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('completed');
    expect(requests[2]?.messages.at(-1)).toEqual({
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          id: `id-${WEB.name}`,
          name: WEB.name,
          output:
            'The result of the tool was withheld, because a critic refused it (criteria: no-instructions).',
          isError: true,
        },
      ],
    });
    expect(JSON.stringify(requests[2])).not.toContain(CANARY);
    expect(JSON.stringify(await payloads(host, runId, 'agent.verified'))).not.toContain(CANARY);
    expect(await payloads(host, runId, 'agent.toolReturned')).toMatchObject([{ status: 'ok' }]);
  });

  it('is judged call by call, and tools without a critic are not judged', async () => {
    const { host, requests } = await bench([
      said('', calls(WEB.name, { q: 1 }, 'a'), calls(TIME.name, {}, 'b'), calls(WEB.name, { q: 2 }, 'c')),
      PASS,
      valid({ verdict: 'fail' }),
      said('Done.'),
    ]);
    await register(host, WRITER, CRITIC);
    const runId = await invoke(host);
    const called = (await payloads(host, runId, 'agent.toolCalled')).map(({ callId }) => callId);
    const verdicts = await payloads(host, runId, 'agent.verified');
    expect(verdicts.map(({ target, verdict }) => [target, verdict])).toEqual([
      [called[0], 'pass'],
      [called[2], 'fail'],
    ]);
    const told = requests[3]?.messages.at(-1)?.content as unknown as JsonObject[];
    expect(told.map(({ isError }) => isError ?? false)).toEqual([false, false, true]);
  });

  it('does not come in as the words in which the tool fails', async () => {
    const { host, requests } = await bench([said('', calls(WEB.name)), said('Done.')], () => ({
      status: 'error',
      error: { code: 'tool_failed', message: `The tool reports a failure: ${CANARY}` },
    }));
    await register(host, WRITER, CRITIC);
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('completed');
    expect(await payloads(host, runId, 'agent.verified')).toEqual([]);
    expect(JSON.stringify(requests[1])).not.toContain(CANARY);
    expect(JSON.stringify(requests[1])).toContain('The tool failed.');
  });

  it('is judged also when a person recorded it for a call that was lost', async () => {
    const send = tool('mcp:web/send', { repeatable: 'no' });
    const { host, requests } = await agentBench({
      tools: [send],
      models: [said('', calls(send.name)), valid({ verdict: 'fail' }), said('Done.')],
      call: () => ({ status: 'unknown' }) as never,
    });
    await register(host, WRITER, CRITIC);
    const runId = await invoke(host);
    await answer(host, runId, 'agent', { action: 'edit-accept', editedArtifactData: CANARY });
    await settled();
    expect(await host.status(runId)).toBe('completed');
    const [called] = await payloads(host, runId, 'agent.toolCalled');
    expect(await payloads(host, runId, 'agent.verified')).toMatchObject([{ target: called?.callId }]);
    expect(JSON.stringify(requests[2])).not.toContain(CANARY);
  });

  it('is withheld when its critic cannot be started, and a replay does the same although it can now', async () => {
    let called = 0;
    const { host, requests } = await agentBench({
      tools: [WEB],
      models: [said('', calls(WEB.name, { q: 1 })), said('', calls(WEB.name, { q: 2 })), PASS, said('Done.')],
      async call() {
        called += 1;
        // The critic is registered during the second call.
        if (called === 2) await register(host, CRITIC);
        return { status: 'ok', output: CANARY };
      },
    });
    await register(host, WRITER);
    const runId = await invoke(host);
    const verdicts = await payloads(host, runId, 'agent.verified');
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['fail', 'pass']);
    const replayed = await replay(host, runId);
    expect(await host.types(replayed)).toEqual(await host.types(runId));
    expect(requests).toHaveLength(4);
  });
});

describe('the critics of tools', () => {
  it('are chosen by the most particular name', async () => {
    const other = agent({ ...CRITIC, agentId: 'local.desk.other' });
    const toolVerifiers = { '*': { workflowId: 'nobody' }, 'mcp:web/*': { workflowId: other.agentId } };
    const { host } = await bench([said('', calls(WEB.name)), PASS, said('Done.')]);
    await register(host, agent({ ...WRITER, toolVerifiers }), other);
    const runId = await invoke(host);
    expect(await payloads(host, runId, 'agent.verified')).toMatchObject([{ agentId: other.agentId }]);
  });

  it('of a node come before those of the agent', async () => {
    const other = agent({ ...CRITIC, agentId: 'local.desk.other' });
    const { host } = await agentBench({
      agents: [WRITER],
      tools: [WEB, TIME],
      models: [said('', calls(WEB.name)), PASS, said('Done.')],
      call: () => ({ status: 'ok', output: CANARY }),
    });
    await register(host, WRITER, CRITIC, other);
    const settings = { toolVerifiers: { '*': { workflowId: other.agentId } } };
    const inputs = { task: { type: 'static', value: 'Write.' } };
    const asked = { agent: { agentId: AGENT_ID }, inputs, settings };
    await host.register(workflow('desk', [node('write', 'core.agent', {}, asked)]));
    const runId = await start(host, 'desk');
    expect(await payloads(host, runId, 'agent.verified')).toMatchObject([{ agentId: other.agentId }]);
  });

  it('cannot be misspelt: the agent is not invoked', async () => {
    const { host, requests } = await bench([]);
    const misspelt: Agent = agent({ ...WRITER, toolVerifiers: { 'mcp:wbe/search': VERIFIER } });
    await register(host, misspelt, CRITIC);
    const runId = await invoke(host);
    expect(await payloads(host, runId, 'run.failed')).toMatchObject([
      { error: { code: 'verifier_without_tool', details: { tools: 'mcp:wbe/search' } } },
    ]);
    expect(requests).toEqual([]);
  });
});
