import { resolveAgent } from '@baton/agents';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost } from '../http/host.ts';
import { verifies } from '../verifies.ts';

/** Manifests with their files, the models that their classes mean, and the versions that runs keep. */

const base = { agentId: 'local.desk.any', persona: 'Any', modelClass: 'general' };

describe('the prompt of a manifest', () => {
  const files = {
    'prompts/own.md': 'Own file.',
    'prompts/override.md': 'Override.',
    'prompts/shared.json': { templateId: 'shared', version: '1.0.0', kind: 'system', text: 'Library.' },
  };
  const fallback = { promptOverrides: { system: 'prompt:override@1.0.0' }, promptLibraryRef: 'shared' };

  it.each([
    ['its own text', { systemPrompt: 'Own.', ...fallback }, 'Own.', 'agent-intrinsic'],
    ['its own file', { systemPromptRef: 'prompts/own.md', ...fallback }, 'Own file.', 'agent-intrinsic'],
    ['its override', fallback, 'Override.', 'agent-overrides'],
    ['its library', { promptLibraryRef: 'shared' }, 'Library.', 'agent-library-default'],
  ])('LIVE-05 is %s first', (_, more, text, layer) => {
    expect(resolveAgent({ manifest: { ...base, ...more }, files })).toMatchObject({
      systemPrompt: text,
      promptLayer: layer,
    });
  });
});

describe('a class of models', () => {
  let host: TestHost;
  beforeAll(async () => {
    const scripted = {
      kind: 'scripted',
      concurrency: 4,
      maxOutputTokens: 100,
      firstByteMs: 1000,
      silenceMs: 1000,
      totalMs: 1000,
      structuredOutputs: true,
    } as const;
    const target = { provider: 'first', model: 'one' };
    const classes = {
      reasoning: target,
      writing: target,
      coding: target,
      research: target,
      classification: target,
      general: target,
    };
    host = await startTestHost({
      models: { providers: { first: scripted, second: scripted }, classes, fallbacks: {}, prices: {} },
    });
  });
  afterAll(() => host.stop());

  async function started(runId: string) {
    const { body } = await host.get(`/v1/runs/${runId}/events/poll?limit=200`);
    return body.events.filter(({ type }: { type: string }) => type === 'agent.invocation.started');
  }

  const register = (text: string) =>
    host.post('/v1/agents', {
      manifest: { ...base, systemPrompt: text, baton: { packVersion: text, script: [{ text }] } },
    });
  const run = (more: object = {}) =>
    host.post(
      '/v1/runs',
      { agentId: base.agentId, inputs: { task: 'x' }, ...more },
      { headers: { prefer: 'wait=20' } },
    );

  it('means the same model in the whole run, and a caller may choose another one', async () => {
    verifies('LIVE-02', 'LIVE-03', 'LIVE-04');
    await register('1.0.0');
    const usual = await run();
    const [first] = await started(usual.body.runId);
    expect(first.payload).toMatchObject({
      resolvedProvider: 'first',
      resolvedModel: 'one',
      modelClass: 'general',
    });
    const chosen = await run({ configurable: { ai: { provider: 'second', model: 'two' } } });
    const [second] = await started(chosen.body.runId);
    expect(second.payload).toMatchObject({ resolvedProvider: 'second', resolvedModel: 'two' });
    expect((await run({ configurable: { ai: { provider: 'nowhere', model: 'x' } } })).body).toMatchObject({
      status: 'failed',
      error: { code: 'capability_not_provided', message: expect.stringContaining('configurable.ai') },
    });
  });

  it('answers in the version of the agent that the run began with', async () => {
    await register('1.0.0');
    await host.post('/v1/workflows', {
      id: 'twice',
      nodes: [
        { id: 'gate', typeId: 'core.approvalGate', config: { title: 'Go?', actions: ['accept'] } },
        {
          id: 'ask',
          typeId: 'core.agent',
          agent: { agentId: base.agentId },
          inputs: { task: { type: 'static', value: 'x' } },
        },
      ],
      edges: [{ sourceNodeId: 'gate', targetNodeId: 'ask' }],
    });
    const waiting = await host.run('twice');
    const again = await register('2.0.0');
    expect(again.body.version).toBeGreaterThan(1);
    await host.post(`/v1/runs/${waiting.body.runId}/interrupts/gate`, { resumeValue: { action: 'accept' } });
    await expect
      .poll(async () => (await host.get(`/v1/runs/${waiting.body.runId}`)).body.status)
      .toBe('completed');
    const [first] = await started(waiting.body.runId);
    expect(first.payload.resolvedAgentVersion).toBe('1.0.0');
    expect((await run()).body.variables.result).toBe('2.0.0');
  });
});
