import { type JsonObject, llmCacheKey, type ModelRequest, type RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../conformance/src/testkit/simulation.ts';
import { edge, node, workflow } from '../../../conformance/src/testkit/workflows.ts';
import type { ModelOutcome } from '../ports/model-outcome.ts';

const SCHEMA = {
  title: 'Verdict',
  type: 'object',
  required: ['valid'],
  properties: { valid: { type: 'boolean' } },
};
const MESSAGES = [{ role: 'user', content: 'Is it so?' }];
const CONFIG = { provider: 'mock', model: 'mock-mini', outputSchema: SCHEMA };
const USAGE = { inputTokens: 5, outputTokens: 3 };

function asking(config: object = {}, more: Record<string, unknown> = {}) {
  const inputs = { messages: { type: 'static', value: MESSAGES } };
  const call = node('call', 'core.ai.structuredOutput', { ...CONFIG, ...config }, { inputs, ...more });
  return workflow('asking', [call]);
}

function intentsOf(run: Simulation, nodeId = 'call') {
  const events = run.of('baton.effect.intended');
  return events.filter((event) => event.nodeId === nodeId).map(({ payload }) => payload.effect);
}

function intentOf(run: Simulation, nodeId = 'call') {
  const [effect] = intentsOf(run, nodeId);
  if (effect === undefined) throw new Error('no call was intended');
  return effect;
}

const outcome = (result: ModelOutcome['result'], more: Partial<ModelOutcome> = {}): ModelOutcome => ({
  usage: USAGE,
  result,
  ...more,
});
const INVALID = outcome({ kind: 'invalid', reason: 'schema-violation', problem: 'valid is required' });
const PROSE = outcome(
  { kind: 'invalid', reason: 'parse-error', problem: 'the answer is not JSON', prose: true },
  { data: 'It is open.' },
);
const CUT = outcome({ kind: 'truncated', stopReason: 'max_tokens' });
const VALID = outcome({ kind: 'valid' }, { data: { valid: true } });

/** The events that the answers bring, apart from those that every effect has. */
function answer(run: Simulation, outcomes: readonly ModelOutcome[]): readonly RunEvent[] {
  const before = run.events().length;
  for (const done of outcomes) run.finishEffects({ done: done as unknown as JsonObject });
  return run
    .events()
    .slice(before)
    .filter(({ type }) => !type.startsWith('baton.effect.'));
}
const told = (events: readonly RunEvent[]) => events.map(({ type, payload }) => [type, payload]);

describe('a structured call', () => {
  it('REPLAY-01 records the request and its key before anything is asked', () => {
    const run = simulate([asking({ maxTokens: 50, temperature: 0.2, seed: 7, stop: ['END'] })]);
    const request: ModelRequest = {
      provider: 'mock',
      model: 'mock-mini',
      messages: [{ role: 'user', content: 'Is it so?' }],
      temperature: 0.2,
      seed: 7,
      stop: ['END'],
      maxOutputTokens: 50,
      responseFormat: { type: 'json', schema: SCHEMA },
    };
    expect(intentOf(run)).toEqual({
      kind: 'model.call',
      request,
      cacheKey: llmCacheKey(request),
      retry: { tries: 4, backoffMs: 1000, maxBackoffMs: 60_000 },
    });
    expect(run.types().slice(-2)).toEqual(['node.started', 'baton.effect.intended']);
  });

  it('REPLAY-01 records the key of every further request as well', () => {
    const run = simulate([asking()]);
    answer(run, [INVALID, CUT, VALID]);
    const keys = intentsOf(run).map(({ cacheKey, request }) => {
      expect(cacheKey).toBe(llmCacheKey(request as unknown as ModelRequest));
      return cacheKey;
    });
    expect(new Set(keys).size).toBe(3);
  });

  it('REPLAY-15 asks one model in the whole run, the one that the run was started with', () => {
    const inputs = { messages: { type: 'static', value: MESSAGES } };
    const calls = ['first', 'second'].map((id) =>
      node(id, 'core.ai.structuredOutput', { ...CONFIG, model: `usual-${id}` }, { inputs }),
    );
    const twice = workflow('twice', calls, { edges: [edge('first', 'second')] });
    const run = simulate([twice], { configurable: { model: 'chosen' } });
    answer(run, [VALID]);
    answer(run, [VALID]);
    const requests = ['first', 'second'].map((id) => intentOf(run, id).request as unknown as ModelRequest);
    expect(requests.map((request) => request.model)).toEqual(['chosen', 'chosen']);
    const usages = run.of('provider.usage');
    expect(usages.map((event) => event.payload.model)).toEqual(['chosen', 'chosen']);
    const other = simulate([twice], { configurable: { model: 'another' } });
    expect(intentOf(other, 'first').cacheKey).not.toBe(intentOf(run, 'first').cacheKey);
  });

  it('completes with the answer, and says what it cost', () => {
    const run = simulate([asking()]);
    expect(told(answer(run, [VALID]))).toEqual([
      ['provider.usage', { provider: 'mock', model: 'mock-mini', ...USAGE, nodeId: 'call' }],
      ['node.completed', { nodeId: 'call', outputs: { data: { valid: true } } }],
      ['run.completed', {}],
    ]);
  });

  it('says when an answer was reused, and when it had to be unwrapped', () => {
    const events = answer(simulate([asking()]), [{ ...VALID, reused: true, unfenced: true }]);
    expect(told(events).slice(0, 2)).toEqual([
      ['provider.usage', { provider: 'mock', model: 'mock-mini', ...USAGE, cacheHit: true, nodeId: 'call' }],
      ['envelope.recovery.applied', { nodeId: 'call', path: 'markdown-fence' }],
    ]);
  });

  it('records each attempt past the first with what was wrong before', () => {
    const events = answer(simulate([asking()]), [INVALID, CUT, VALID]);
    expect(events.map((event) => event.type)).toEqual([
      'provider.usage',
      'envelope.retry.attempted',
      'provider.usage',
      'envelope.truncated',
      'envelope.retry.attempted',
      'provider.usage',
      'node.completed',
      'run.completed',
    ]);
    const retries = events.filter((event) => event.type === 'envelope.retry.attempted');
    expect(retries.map((event) => event.payload)).toEqual([
      { nodeId: 'call', attempt: 2, reason: 'schema-violation', previousError: 'valid is required' },
      { nodeId: 'call', attempt: 3, reason: 'truncation' },
    ]);
  });

  it('gives up when the attempts are used up', () => {
    const run = simulate([asking()]);
    const events = answer(run, [INVALID, INVALID, INVALID]);
    expect(told(events).slice(-4)).toEqual([
      [
        'envelope.retry.exhausted',
        {
          nodeId: 'call',
          totalAttempts: 3,
          finalReason: 'schema-violation',
          finalError: 'valid is required',
        },
      ],
      ['cap.breached', { kind: 'schema', limit: 3, observed: 4, nodeId: 'call' }],
      [
        'node.failed',
        expect.objectContaining({ error: expect.objectContaining({ code: 'envelope_invalid' }) }),
      ],
      ['run.failed', expect.anything()],
    ]);
  });

  it('tells an answer that was always cut off from one that was always wrong', () => {
    const run = simulate([asking()]);
    const events = answer(run, [CUT, CUT, CUT]);
    expect(events.filter((event) => event.type === 'envelope.truncated')).toHaveLength(3);
    expect(told(events)).toContainEqual([
      'envelope.retry.exhausted',
      { nodeId: 'call', totalAttempts: 3, finalReason: 'truncation' },
    ]);
    expect(run.run().phase).toMatchObject({ error: { code: 'envelope_truncation_unrecoverable' } });
  });

  it('says when prose was brought into form, and does not count it as an attempt', () => {
    const formatted = answer(simulate([asking()]), [PROSE, PROSE, PROSE, VALID]);
    expect(told(formatted)).toContainEqual([
      'envelope.nlToFormat.engaged',
      { nodeId: 'call', originalEnvelopeType: 'Verdict', fallbackCalls: 1 },
    ]);
    expect(formatted.at(-1)?.type).toBe('run.completed');
    const inVain = answer(simulate([asking()]), [PROSE, PROSE, PROSE, PROSE]);
    expect(told(inVain)).toContainEqual([
      'envelope.retry.exhausted',
      expect.objectContaining({ totalAttempts: 3, finalReason: 'parse-error' }),
    ]);
  });

  it('never asks again after a refusal, whatever the node may retry', () => {
    const run = simulate([asking({}, { settings: { retry: { maxRetries: 5 } } })]);
    const refused = outcome({ kind: 'refused', text: 'I would rather not.' });
    expect(told(answer(run, [refused])).slice(1, 3)).toEqual([
      [
        'envelope.refusal',
        { nodeId: 'call', provider: 'mock', model: 'mock-mini', refusalText: 'I would rather not.' },
      ],
      [
        'node.failed',
        expect.objectContaining({ error: expect.objectContaining({ code: 'envelope_refusal' }) }),
      ],
    ]);
    expect(JSON.stringify(run.run().phase)).not.toContain('rather not');
  });

  it('asks a provider that fails for the moment again, with the same request', () => {
    const run = simulate([asking()]);
    answer(run, [INVALID]);
    for (const _ of [1, 2, 3]) run.finishEffects({ fail: 'provider_error' });
    expect(run.status()).toBe('running');
    expect(intentsOf(run)).toHaveLength(2);
    run.finishEffects({ fail: 'provider_error' });
    expect(run.run().phase).toMatchObject({ error: { code: 'provider_error' } });
  });

  it.each([
    ['nothing that it knows', { key: 'x' }],
    ['no result', { usage: USAGE }],
    ['a valid answer without a value', { result: { kind: 'valid' } }],
  ])('fails over an outcome with %s', (_, done) => {
    const run = simulate([asking()]);
    run.finishEffects({ done: JSON.parse(JSON.stringify(done)) });
    expect(run.run().phase).toMatchObject({ error: { code: 'provider_error' } });
  });

  it.each([
    ['are missing', undefined, 'messages'],
    ['are none', [], 'messages'],
    ['have an unknown role', [{ role: 'robot', content: 'x' }], 'messages.0.role'],
  ])('fails before anything is asked when the messages %s', (_, value, field) => {
    const inputs = { messages: { type: 'variable', variableName: 'said' } };
    const asked = workflow('w', [node('call', 'core.ai.structuredOutput', CONFIG, { inputs })]);
    const run = simulate([asked], { inputs: value === undefined ? {} : { said: value } });
    const { phase } = run.run();
    expect(phase).toMatchObject({ error: { code: 'input_invalid' } });
    expect(JSON.stringify(phase)).toContain(field);
  });

  it.each([
    ['a provider that is not written in small letters', { provider: 'Mock' }],
    ['a schema that is none', { outputSchema: { type: 'nonsense' } }],
    ['more attempts than there can be', { retryOnInvalidJson: 14 }],
    ['a field that nobody knows', { colour: 'red' }],
  ])('is refused at registration with %s', (_, config) => {
    expect(() => simulate([asking(config)])).toThrow();
  });
});

it('holds for as long as it is told, and does nothing else', () => {
  const inputs = { delayMs: { type: 'static', value: 5000 } };
  const run = simulate([workflow('w', [node('hold', 'core.conformance.hold', {}, { inputs })])]);
  run.tick(4999);
  expect(run.status()).toBe('running');
  run.tick(1);
  expect(run.types().slice(-2)).toEqual(['node.completed', 'run.completed']);
});
