import { describe, expect, it } from 'vitest';
import { answer, replay } from '../driver/forking.ts';
import { settled } from '../driver/test-engine.ts';
import { verifies } from '../verifies.ts';
import {
  agent,
  agentBench,
  agentTypes,
  calls,
  invalid,
  invoke,
  payloads,
  refused,
  register,
  said,
  tool,
  valid,
} from './bench.ts';

/** An invocation of an agent: the order of its events, its requests, and how it ends. */

const OPEN = ['agent.invocation.started', 'agent.promptResolved'];
const PAIR = ['agent.toolCalled', 'agent.toolReturned'];

describe('an invocation', () => {
  it('LIVE-14 LIVE-19 LIVE-21 LIVE-26 READ-23 without tools is one model call', async () => {
    const { host, requests } = await agentBench({ models: [said('A poem.')] });
    await register(host, agent());
    const runId = await invoke(host, { task: 'Write.', topic: 'boats' });
    expect(await host.status(runId)).toBe('completed');
    expect(await agentTypes(host, runId)).toEqual([
      ...OPEN,
      'agent.reasoned',
      'agent.decided',
      'agent.invocation.completed',
    ]);
    expect(requests[0]?.messages[0]).toEqual({ role: 'system', content: 'You write about boats.' });
    expect(await payloads(host, runId, 'variable.changed')).toMatchObject([
      { name: 'result', next: 'A poem.' },
    ]);
  });

  it('LIVE-09 LIVE-13 READ-24 READ-33 calls tools in rounds, and decides after the last one', async () => {
    const search = tool('baton:search');
    const { host, requests, toolCalls } = await agentBench({
      tools: [search],
      models: [
        said('I look.', calls(search.name, { q: 'one' })),
        said('', calls(search.name, { q: 'two' }, 'x'), calls(search.name, { q: 'three' }, 'y')),
        said('Done.'),
      ],
    });
    await register(host, agent({ toolAllowlist: ['baton:search'] }));
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('completed');
    expect(await agentTypes(host, runId)).toEqual([
      ...OPEN,
      'agent.reasoned',
      ...PAIR,
      'agent.reasoned',
      'agent.toolCalled',
      ...PAIR,
      'agent.toolReturned',
      'agent.reasoned',
      'agent.decided',
      'agent.invocation.completed',
    ]);
    expect(toolCalls.map(({ request }) => request.input)).toEqual([
      { q: 'one' },
      { q: 'two' },
      { q: 'three' },
    ]);
    const roles = requests.map(({ messages }) => messages.map(({ role }) => role).join(' '));
    expect(roles).toEqual([
      'system user',
      'system user assistant tool',
      'system user assistant tool assistant tool',
    ]);
    const replayed = await replay(host, runId);
    expect(await host.types(replayed)).toEqual(await host.types(runId));
    expect(requests).toHaveLength(3);
    expect(toolCalls).toHaveLength(3);
  });

  it('ends refused when the model refuses, and nothing takes the place of the answer', async () => {
    verifies('LIVE-32', 'LIVE-25');
    const { host } = await agentBench({ models: [refused] });
    await register(host, agent());
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('failed');
    expect(await agentTypes(host, runId)).toEqual([...OPEN, 'agent.invocation.completed']);
    expect(await payloads(host, runId, 'agent.invocation.completed')).toMatchObject([{ outcome: 'refused' }]);
  });

  it('LIVE-16 fails after the last attempt to give a result that fits', async () => {
    const returnSchema = { type: 'object', required: ['ok'] };
    const { host, requests } = await agentBench({
      models: [invalid('ok is required'), invalid('ok is required')],
    });
    await register(host, agent({ returnSchema, attempts: 2 }));
    const runId = await invoke(host);
    expect(requests).toHaveLength(2);
    expect(requests[1]?.messages.at(-1)).toMatchObject({ role: 'user' });
    expect(await payloads(host, runId, 'agent.invocation.completed')).toMatchObject([
      { outcome: 'failed', schemaValidated: false },
    ]);
    expect(await payloads(host, runId, 'run.failed')).toMatchObject([
      { error: { code: 'handoff_return_schema_violation' } },
    ]);
  });

  it('gives its result in a call of its own after the rounds with tools', async () => {
    const search = tool('baton:search');
    const { host, requests } = await agentBench({
      tools: [search],
      models: [said('', calls(search.name)), said('I know it.'), valid({ ok: true })],
    });
    await register(host, agent({ toolAllowlist: ['baton:*'], returnSchema: { type: 'object' } }));
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('completed');
    expect(requests.map(({ tools, responseFormat }) => [tools?.length ?? 0, responseFormat?.type])).toEqual([
      [1, undefined],
      [1, undefined],
      [0, 'json'],
    ]);
  });

  it('READ-33 with one round has the order of the protocol literally', async () => {
    const search = tool('baton:search');
    const { host } = await agentBench({
      tools: [search],
      models: [said('', calls(search.name)), said('Done.')],
    });
    await register(host, agent({ toolAllowlist: ['baton:search'], maxToolRounds: 1 }));
    const runId = await invoke(host);
    expect(await agentTypes(host, runId)).toEqual([
      ...OPEN,
      'agent.reasoned',
      ...PAIR,
      'agent.decided',
      'agent.invocation.completed',
    ]);
  });
});

describe('an agent that is not sure enough', () => {
  it('LIVE-18 closes as escalated, and a person is asked before the result is used', async () => {
    const { host } = await agentBench({ models: [valid({ answer: 'maybe', confidence: 0.6 })] });
    await register(host, agent({ returnSchema: { type: 'object' }, confidence: { defaultThreshold: 0.8 } }));
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('waiting-approval');
    const types = await host.types(runId);
    expect(types.slice(-5)).toEqual([
      'agent.decided',
      'agent.invocation.completed',
      'core.workflowChain.confidence-escalated',
      'interrupt.requested',
      'node.suspended',
    ]);
    expect(types).not.toContain('variable.changed');
    await answer(host, runId, 'agent');
    await settled();
    expect(await host.status(runId)).toBe('completed');
    expect(await payloads(host, runId, 'variable.changed')).toMatchObject([
      { name: 'answer', next: 'maybe' },
      { name: 'confidence' },
      { name: 'result' },
    ]);
  });
});
