import { describe, expect, it } from 'vitest';
import { llmCacheKey, parseModelRequest } from './llm-cache-key.ts';

const hello = { provider: 'anthropic', model: 'claude-x', messages: [{ role: 'user', content: 'hello' }] };
const keyOf = (value: unknown) => llmCacheKey(parseModelRequest(value));
const tool = (name: string) => ({ name, parameters: {} });

/** Digests that the protocol publishes so that hosts can check theirs. */
const VECTORS: readonly (readonly [string, object, string])[] = [
  ['the smallest request', {}, 'c92498949e9cc0e38bb2887e88e55b6936932e219b8344f0a7059b1de960073d'],
  ['stop', { stop: ['END'] }, '2103c61f7b0e1e05c6535e562f52335649beae49e266b8264e60bc93c169dd87'],
  ['seed', { seed: 7 }, 'fb942dce9de88688c89d048499f4a4e5a19427775da08d0d5a7ad709c10b42d0'],
  [
    'the output bound',
    { maxOutputTokens: 256 },
    '96f74b752619868e3b7fad15f093c03b86b223974ea3e2b89a1831d22a4845ad',
  ],
  [
    'tools in one order',
    { tools: [tool('zeta'), tool('alpha')] },
    'afb590dd7bf6c78915852e15318fd4c9d6d6e0d473288283f413e5e425ba0cd6',
  ],
  [
    'tools in the other order',
    { tools: [tool('alpha'), tool('zeta')] },
    'afb590dd7bf6c78915852e15318fd4c9d6d6e0d473288283f413e5e425ba0cd6',
  ],
  [
    'tools by code unit',
    { tools: [tool('get_weather'), tool('getWeather')] },
    '8ddc711c24f17c75efa8fd61e4060573461973ed0ae3fc79c056533d6bb1d0d0',
  ],
  [
    'messages in their order',
    {
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
      ],
    },
    '06eb9873af60fb5c98222161bafdaec8f13a0f59b7b2c62a608a82a09520a74a',
  ],
  [
    'messages in another order',
    {
      messages: [
        { role: 'assistant', content: 'b' },
        { role: 'user', content: 'a' },
      ],
    },
    '896b9d814f5d9fe5da72fa50e2d2ea9751d9e2b78da324729dcfbd3c8bb09109',
  ],
  [
    'options of the provider',
    { providerOptions: { 'vendor.anthropic.reasoningEffort': 'high' } },
    'fa34555d16eb6fedb2c587a4c4ac7e2cbeec8d0e8be0299b60910fe79c4055bf',
  ],
  [
    'a decomposed letter',
    { messages: [{ role: 'user', content: 'e\u0301' }] },
    '7365573baec75c4eeda16eed9d60a17aa18cd44871f652d7dd25e602941956e9',
  ],
  [
    'a composed letter',
    { messages: [{ role: 'user', content: '\u00e9' }] },
    'a4a0d2077fa984fe50411e671a77ee4cdab81911cf6bffe33b4f680c696b01af',
  ],
];

describe('llmCacheKey', () => {
  it.each(VECTORS)('REPLAY-03 is the published digest: %s', (_, more, expected) => {
    expect(keyOf({ ...hello, ...more })).toBe(expected);
  });

  it.each([
    { stream: true },
    { metadata: { traceId: 'abcd' } },
    { user: 'ada' },
    { 'x-request-id': 'r-1' },
    { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    { tenantId: 'acme', runId: 'r' },
    { timeoutMs: 30_000 },
    { tools: [] },
  ])('REPLAY-03 is not changed by what cannot change the answer: %o', (more) => {
    expect(keyOf({ ...hello, ...more })).toBe(keyOf(hello));
  });

  it.each([
    { model: 'claude-y' },
    { provider: 'openai' },
    { temperature: 0 },
    { topP: 0.5 },
    { topK: 4 },
    { responseFormat: { type: 'json' } },
    { responseFormat: { type: 'json', schema: { type: 'object' } } },
    { safetySettings: { level: 'low' } },
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] },
    { messages: [{ role: 'user', content: 'hello', name: 'ada' }] },
  ])('REPLAY-03 is changed by what can change the answer: %o', (more) => {
    expect(keyOf({ ...hello, ...more })).not.toBe(keyOf(hello));
  });
});

describe('parseModelRequest', () => {
  it.each([
    ['provider', { provider: 'Anthropic' }],
    ['provider', { provider: 'änthropic' }],
    ['provider', { provider: '' }],
    ['provider', { provider: undefined }],
    ['model', { model: '' }],
    ['model', { model: 4 }],
    ['messages', { messages: [] }],
    ['messages', { messages: 'hello' }],
    ['messages.0.role', { messages: [{ role: 'robot', content: 'x' }] }],
    ['messages.0.content', { messages: [{ role: 'user' }] }],
    ['messages.0.content.0.type', { messages: [{ role: 'user', content: [{}] }] }],
    ['temperature', { temperature: 'warm' }],
    ['tools.0.parameters', { tools: [{ name: 'x' }] }],
    ['stop', { stop: 'END' }],
  ])('refuses a wrong %s', (field, more) => {
    const given = JSON.parse(JSON.stringify({ ...hello, ...more }));
    expect(() => parseModelRequest(given)).toThrow(
      expect.objectContaining({ code: 'validation_error', details: expect.objectContaining({ field }) }),
    );
  });
});
