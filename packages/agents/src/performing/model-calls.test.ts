import type { ModelAnswer, ModelCall, Models } from '@baton/engine/ports';
import { type Json, llmCacheKey, type ModelRequest } from '@baton/protocol';
import { expect, it } from 'vitest';
import { UNHEARD } from '../../../conformance/src/testkit/unheard.ts';
import { modelCalls } from './model-calls.ts';

const REQUEST: ModelRequest = {
  provider: 'test',
  model: 'm',
  messages: [{ role: 'user', content: 'hello' }],
  responseFormat: { type: 'json', schema: { type: 'object' } },
};
const USAGE = { inputTokens: 2, outputTokens: 1 };
const YES: ModelAnswer = { kind: 'text', text: '{}', stopReason: 'end', usage: USAGE };
const KEPT = { text: '{"kept":true}', usage: USAGE };

const effect = (request: ModelRequest = REQUEST, tenant = 'acme') => ({
  kind: 'model.call',
  request: request as unknown as Json,
  cacheKey: llmCacheKey(request),
  key: 'r/n/1/1',
  tenant,
  runId: 'r',
  nodeId: 'n',
  execution: 1,
  attempt: 1,
  step: 1,
  tries: 1,
});

function answering(answer: () => ModelAnswer) {
  const calls: ModelCall[] = [];
  const ask = async (call: ModelCall) => {
    calls.push(call);
    return answer();
  };
  const models: Models = { provider: (id) => (id === 'test' ? { reexecutable: false, ask } : undefined) };
  return { models, calls };
}

it('asks the provider that is named, on behalf of the tenant', async () => {
  const { models, calls } = answering(() => YES);
  expect(await modelCalls(models)(effect(), UNHEARD)).toEqual({
    kind: 'done',
    outputs: { usage: USAGE, result: { kind: 'valid' }, data: {} },
  });
  const { signal } = UNHEARD;
  expect(calls).toEqual([
    expect.objectContaining({ request: REQUEST, tenant: 'acme', nodeId: 'n', key: 'r/n/1/1', signal }),
  ]);
});

it('says clearly that a provider is not there', async () => {
  const { models } = answering(() => YES);
  expect(await modelCalls(models)(effect({ ...REQUEST, provider: 'nobody' }), UNHEARD)).toEqual({
    kind: 'failed',
    error: {
      code: 'capability_not_provided',
      message: 'No provider of models named "nobody" is connected to this host.',
    },
    retryable: false,
  });
});

it('takes a provider that throws for one that may do better, and keeps its words to itself', async () => {
  const { models } = answering(() => {
    throw new Error('401 for key sk-123');
  });
  const outcome = await modelCalls(models)(effect(), UNHEARD);
  expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'provider_error' }, retryable: true });
  expect(JSON.stringify(outcome)).not.toContain('sk-123');
});

it.each([true, false])('says whether and when an error may be tried again: %s', async (retryable) => {
  const error = { code: 'provider_error', message: 'Busy.' };
  const { models } = answering(() => ({ kind: 'error', error, retryable, retryAfterMs: 7000 }));
  expect(await modelCalls(models)(effect(), UNHEARD)).toEqual({
    kind: 'failed',
    error,
    retryable,
    retryAfterMs: 7000,
  });
});

it('keeps nothing unless it may', async () => {
  const { models } = answering(() => YES);
  expect(await modelCalls(models)(effect(), UNHEARD)).not.toHaveProperty('keep');
  expect(await modelCalls(models, { kept: async () => undefined })(effect(), UNHEARD)).toHaveProperty(
    'keep',
    {
      cacheKey: llmCacheKey(REQUEST),
      answer: { text: '{}', usage: USAGE },
    },
  );
});

it('uses an answer that the tenant has, instead of asking', async () => {
  const { models, calls } = answering(() => YES);
  const reuse = async (tenant: string, key: string) =>
    tenant === 'acme' && key === llmCacheKey(REQUEST) ? KEPT : undefined;
  const outcome = await modelCalls(models, { kept: reuse })(effect(), UNHEARD);
  expect(outcome).toMatchObject({
    outputs: { data: { kept: true }, reused: true, usage: USAGE },
  });
  expect(outcome).not.toHaveProperty('keep');
  expect(calls).toEqual([]);
  await modelCalls(models, { kept: reuse })(effect(REQUEST, 'other'), UNHEARD);
  await modelCalls(models, { kept: reuse })(effect({ ...REQUEST, seed: 2 }), UNHEARD);
  expect(calls).toHaveLength(2);
});

it.each<[string, () => ModelAnswer]>([
  ['a refusal', () => ({ kind: 'refusal', text: 'No.' })],
  ['an error', () => ({ kind: 'error', error: { code: 'x', message: 'x' }, retryable: true })],
  [
    'the answer of a substitute',
    () => ({ ...YES, substitute: { provider: 'q', model: 'm' } }) as ModelAnswer,
  ],
  ['an answer of no use', () => ({ ...YES, text: '[' }) as ModelAnswer],
])('never keeps %s', async (_, answer) => {
  expect(
    await modelCalls(answering(answer).models, { kept: async () => undefined })(effect(), UNHEARD),
  ).not.toHaveProperty('keep');
});

it('asks anew, and keeps nothing, for a replay that compares', async () => {
  const { models, calls } = answering(() => YES);
  const outcome = await modelCalls(models, { kept: async () => KEPT })({ ...effect(), fresh: true }, UNHEARD);
  expect(calls).toHaveLength(1);
  expect(outcome).toMatchObject({ outputs: { data: {} } });
  expect(outcome).not.toHaveProperty('keep');
});

it('asks when what is kept cannot be read', async () => {
  const { models, calls } = answering(() => YES);
  await modelCalls(models, { kept: async () => ({ text: 4 }) })(effect(), UNHEARD);
  expect(calls).toHaveLength(1);
});
