import { resolveAgent } from '@baton/agents';
import { describe, expect, it } from 'vitest';
import { edge, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { start } from '../driver/forking.ts';
import { CALLER, startTestEngine } from '../driver/test-engine.ts';
import { AGENT_ID, agent, agentBench, payloads, register, said, tool, valid } from './bench.ts';

/** Where critics of agents can be named, which mistakes are refused, and what a critic rules out. */

const CRITIC = { workflowId: 'critic' };
const base = { agentId: AGENT_ID, persona: 'Any', modelClass: 'general', systemPrompt: 'You write.' };
const HELPER = 'local.desk.helper';

describe('a manifest', () => {
  it.each([
    ['a critic without a workflow', { verifier: { criteria: ['a'] } }, /verifier/],
    ['a misspelt setting', { verifier: { ...CRITIC, maxRevision: 1 } }, /maxRevision/],
    [
      'itself as its critic',
      { verifier: { workflowId: AGENT_ID } },
      /verifier\.workflowId is the agent itself/,
    ],
    ['a critic beside handoffs', { verifier: CRITIC, handoffs: [{ agentId: HELPER }] }, /beside handoffs/],
    [
      'itself as the critic of a tool',
      { toolVerifiers: { 'mcp:web/*': { workflowId: AGENT_ID } } },
      /names the agent itself/,
    ],
    [
      'a critic of a tool that is not allowed',
      { toolVerifiers: { 'mcp:wbe/search': CRITIC } },
      /toolVerifiers\.mcp:wbe\/search stands for no tool of toolAllowlist/,
    ],
    [
      'revisions of a tool',
      { toolVerifiers: { 'mcp:web/*': { ...CRITIC, maxRevisions: 1 } } },
      /maxRevisions/,
    ],
  ])('with %s is refused', (_what, baton, message) => {
    const manifest = { ...base, toolAllowlist: ['mcp:web/*'], baton };
    expect(() => resolveAgent({ manifest })).toThrow(message);
  });

  it.each(['mcp:web/search', 'mcp:web/*', 'mcp:*', '*'])('can name critics of its tools: %s', (tools) => {
    const baton = { verifier: CRITIC, toolVerifiers: { [tools]: CRITIC } };
    const resolved = resolveAgent({ manifest: { ...base, toolAllowlist: ['mcp:web/*'], baton } });
    expect(resolved).toMatchObject(baton);
  });
});

describe('a workflow', () => {
  const acting = { agent: { agentId: AGENT_ID } };
  it.each([
    [
      'on a node without an agent',
      node('n', 'core.noop', {}, { settings: { toolVerifiers: {} } }),
      /agent and supervisor nodes only/,
    ],
    [
      'with a misspelt name',
      node('n', 'core.agent', {}, { ...acting, settings: { verifier: { workflow: 'critic' } } }),
      /settings\.verifier/,
    ],
    [
      'with revisions of a tool',
      node(
        'n',
        'core.agent',
        {},
        { ...acting, settings: { toolVerifiers: { 'a:b': { ...CRITIC, maxRevisions: 2 } } } },
      ),
      /settings\.toolVerifiers\..*maxRevisions/,
    ],
    [
      'on a supervisor that no agent thinks for',
      node('n', 'core.orchestrator.supervisor', { script: [] }, { settings: { verifier: CRITIC } }),
      /settings\.verifier: needs config\.workers/,
    ],
  ])('with critics %s is refused', async (_how, wrong, message) => {
    const host = await startTestEngine();
    const definition = workflow('wrong', [wrong]);
    const reply = await host.execute({
      kind: 'register-workflow',
      caller: CALLER,
      definition,
      shared: false,
    } as never);
    expect(JSON.stringify(reply)).toMatch(message);
    expect(reply.ok).toBe(false);
  });
});

describe('an agent', () => {
  const handing = agent({ handoffs: [{ agentId: HELPER }] });
  const handoff = tool(`handoff:${HELPER}`);

  it('whose result is judged is not offered to hand its work over', async () => {
    const { host, requests } = await agentBench({
      agents: [handing],
      tools: [handoff],
      models: [said('Done.')],
    });
    const settings = { verifier: CRITIC };
    await host.register(
      workflow('desk', [node('write', 'core.agent', {}, { agent: { agentId: AGENT_ID }, settings })]),
    );
    const runId = await start(host, 'desk');
    expect(requests[0]?.tools).toBeUndefined();
    expect(await payloads(host, runId, 'agent.verified')).toMatchObject([{ verdict: 'fail' }]);
  });

  it('that decides for a supervisor is not offered to hand its work over', async () => {
    const stop = valid({ kind: 'terminate', reason: 'Done.' });
    const { host, requests } = await agentBench({ agents: [handing], tools: [handoff], models: [stop] });
    await register(host, handing);
    const lead = node(
      'lead',
      'core.orchestrator.supervisor',
      { workers: [{ id: HELPER }] },
      { agent: { agentId: AGENT_ID } },
    );
    await host.register(
      workflow('team', [lead, node('hand', 'core.dispatch')], {
        edges: [edge('lead', 'hand'), edge('hand', 'lead')],
      }),
    );
    const runId = await start(host, 'team');
    expect(requests[0]?.tools).toBeUndefined();
    expect(await host.status(runId)).toBe('completed');
  });
});
