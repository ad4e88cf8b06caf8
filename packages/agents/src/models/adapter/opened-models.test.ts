import { expect, it } from 'vitest';
import { openedModel } from './opened-models.ts';

const CONNECTION = {
  kind: 'openai-compatible',
  baseURL: 'http://models.example/v1',
  key: 'key-1',
  structuredOutputs: false,
} as const;

/** A call that notes the keys that its own `fetch` was given. */
function callOf() {
  const keys: (string | null)[] = [];
  const { signal } = new AbortController();
  const fetch = async (_: unknown, init?: RequestInit) => {
    keys.push(new Headers(init?.headers).get('authorization'));
    return new Response('{"error":{"message":"no"}}', { status: 400 });
  };
  return { keys, signal, fetch: fetch as typeof globalThis.fetch };
}

const ask = async (model: Awaited<ReturnType<typeof openedModel>>, abortSignal?: AbortSignal) =>
  model.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    ...(abortSignal && { abortSignal }),
  });

it('keeps a model, and sends each request through the fetch of its call', async () => {
  const one = callOf();
  const other = callOf();
  const model = await openedModel(CONNECTION, 'small', one);
  expect(await openedModel(CONNECTION, 'small', other)).toBe(model);
  await expect(ask(model, one.signal)).rejects.toThrow();
  expect([one.keys, other.keys]).toEqual([['Bearer key-1'], []]);
  await expect(ask(model, other.signal)).rejects.toThrow();
  expect([one.keys, other.keys]).toEqual([['Bearer key-1'], ['Bearer key-1']]);
});

it('opens another model for another key, name, address or header', async () => {
  const call = callOf();
  const models = await Promise.all([
    openedModel(CONNECTION, 'small', call),
    openedModel({ ...CONNECTION, key: 'key-2' }, 'small', call),
    openedModel(CONNECTION, 'large', call),
    openedModel({ ...CONNECTION, baseURL: 'http://other.example/v1' }, 'small', call),
    openedModel({ ...CONNECTION, headers: { 'x-team': 'a' } }, 'small', call),
  ]);
  expect(new Set(models).size).toBe(5);
  await expect(ask(models[1] as (typeof models)[0], call.signal)).rejects.toThrow();
  expect(call.keys).toEqual(['Bearer key-2']);
});

it('sends nothing without the signal of a call', async () => {
  const model = await openedModel(CONNECTION, 'small', callOf());
  await expect(ask(model)).rejects.toThrow('does not have the signal');
});
