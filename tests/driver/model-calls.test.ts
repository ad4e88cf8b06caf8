import { modelCalls } from '@baton/agents';
import type { Effect, EffectOutcome } from '@baton/engine';
import { type Json, llmCacheKey, type ModelRequest } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { createMockModel } from '../../packages/conformance/src/seams/mock-model.ts';
import { UNHEARD } from '../../packages/conformance/src/testkit/unheard.ts';
import { edge, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { CALLER, settled, startTestEngine } from './test-engine.ts';

const SCHEMA = { type: 'object', required: ['valid'], properties: { valid: { type: 'boolean' } } };
const CALL = node(
  'call',
  'core.ai.structuredOutput',
  { provider: 'mock', model: 'mock-mini', outputSchema: SCHEMA },
  { inputs: { messages: { type: 'static', value: [{ role: 'user', content: 'Is it so?' }] } } },
);
const WORKFLOW = workflow('w', [CALL, node('gate', 'core.approvalGate')], { edges: [edge('call', 'gate')] });
const never = () => new Promise<never>(() => undefined);

function mockModels() {
  const mock = createMockModel();
  return { mock, perform: modelCalls({ provider: () => mock }) };
}

describe('a model call over a crash', () => {
  it('REPLAY-01 has its key on disk before the model is asked', async () => {
    const before = await startTestEngine({ perform: never });
    await before.register(WORKFLOW);
    const runId = await before.create('w');
    const after = await before.crash({ perform: never });
    const intended = (await after.events(runId)).find((event) => event.type === 'baton.effect.intended');
    const effect = intended?.type === 'baton.effect.intended' ? intended.payload.effect : undefined;
    expect(effect?.cacheKey).toBe(llmCacheKey(effect?.request as unknown as ModelRequest));
    expect(after.performed).toMatchObject([{ key: `${runId}/call/1/1/1`, cacheKey: effect?.cacheKey }]);
  });

  it('is recorded once, each answer by itself', async () => {
    const { mock, perform } = mockModels();
    mock.program(CALLER.tenant, 'call', [{ content: '{}' }, { content: '{"valid":true}' }]);
    const before = await startTestEngine({ perform: never });
    await before.register(WORKFLOW);
    const runId = await before.create('w');
    const second = await before.crash({ perform });
    const burst = [
      'baton.effect.settled',
      'provider.usage',
      'envelope.retry.attempted',
      'baton.effect.intended',
      'baton.effect.settled',
      'provider.usage',
      'node.completed',
    ];
    const recorded = await second.types(runId);
    expect(recorded.slice(3, 3 + burst.length)).toEqual(burst);
    const third = await second.crash();
    expect(third.performed).toEqual([]);
    expect(await third.types(runId)).toEqual(recorded);
  });

  it('does not record what comes in twice', async () => {
    const { perform } = mockModels();
    const host = await startTestEngine({ perform });
    await host.register(WORKFLOW);
    const runId = await host.create('w');
    const recorded = await host.types(runId);
    const effect = host.performed[0] as Effect;
    const { key, nodeId, execution, attempt, step, tries } = effect;
    const outcome = await perform(effect, UNHEARD);
    const again = { key, runId, nodeId, execution, attempt, step, tries, outcome };
    await host.execute({ kind: 'effect-outcome', ...again });
    await settled();
    expect(await host.types(runId)).toEqual(recorded);
  });
});

it('is asked anew by a replay of a model that can be, and nothing that was kept stands in for it', async () => {
  const { perform } = mockModels();
  const host = await startTestEngine({ perform });
  await host.register(workflow('once', [CALL]));
  const runId = await host.create('once');
  await host.execute({ kind: 'fork-run', caller: CALLER, runId, body: { mode: 'replay' } });
  await settled();
  expect(host.performed.map(({ fresh }) => fresh)).toEqual([undefined, true]);
});

describe('an answer that may be used again', () => {
  const keep = { cacheKey: 'a'.repeat(64), answer: { text: '{}' } satisfies Json };
  const outputs = { result: { kind: 'valid' }, data: {} };
  const done: EffectOutcome = { kind: 'done', outputs, keep };

  it('is kept with the outcome, for the tenant of the run', async () => {
    const host = await startTestEngine({ perform: async () => done });
    await host.register(WORKFLOW);
    await host.create('w');
    expect(await host.reads.modelAnswer(CALLER.tenant, keep.cacheKey)).toEqual(keep.answer);
    expect(await host.reads.modelAnswer('other', keep.cacheKey)).toBeUndefined();
  });

  it('is not kept when nobody waited for it any more', async () => {
    const host = await startTestEngine({ perform: never });
    await host.register(WORKFLOW);
    const runId = await host.create('w');
    const named = { runId, nodeId: 'call', execution: 1, step: 1, tries: 1 } as const;
    const late = { kind: 'effect-outcome', key: 'k', ...named, outcome: done } as const;
    await host.execute({ ...late, attempt: 2 });
    await host.execute({ ...late, attempt: 1, step: 2 });
    await host.execute({ ...late, attempt: 1, tries: 2 });
    await host.execute({ kind: 'cancel-run', caller: CALLER, runId });
    await host.execute({ ...late, attempt: 1 });
    expect(await host.reads.modelAnswer(CALLER.tenant, keep.cacheKey)).toBeUndefined();
  });
});
