import type { ModelAnswer, ModelCall, ModelText } from '@baton/engine/ports';
import type { Json, ModelMessage, ModelRequest } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { handTimers } from '../../../../tests/models/hand-timers.ts';
import { scriptedProvider } from './scripted.ts';

const USER: ModelMessage = { role: 'user', content: 'Go on.' };
const SAID: ModelMessage = { role: 'assistant', content: 'I did.' };

function callOf(script: unknown, more: Partial<ModelRequest> = {}, answered = 0) {
  const progress: string[] = [];
  const reasoned: string[] = [];
  const messages = [USER, ...Array.from({ length: answered }, () => [SAID, USER]).flat()];
  const call: ModelCall = {
    request: {
      provider: 'scripted',
      model: 'script',
      messages,
      ...(script !== undefined && { providerOptions: { 'vendor.scripted.script': script as Json } }),
      ...more,
    },
    tenant: 'acme',
    nodeId: 'n',
    key: 'k',
    signal: new AbortController().signal,
    progress: (text) => progress.push(text),
    reasoned: (text) => reasoned.push(text),
  };
  return { call, progress, reasoned };
}

const ask = (script: unknown, more: Partial<ModelRequest> = {}, answered = 0): Promise<ModelAnswer> =>
  scriptedProvider(handTimers().later).ask(callOf(script, more, answered).call);

describe('the scripted provider', () => {
  it('may be asked again by a replay', () => {
    expect(scriptedProvider(handTimers().later).reexecutable).toBe(true);
  });

  it.each([
    [0, 'one'],
    [1, 'two'],
    [2, 'two'],
    [7, 'two'],
  ])('answers call %i of a conversation with its entry, and repeats the last one', async (answered, text) => {
    expect(await ask([{ text: 'one' }, { text: 'two' }], {}, answered)).toMatchObject({ kind: 'text', text });
  });

  it.each<[string, readonly ModelMessage[], string]>([
    ['the first that fits', [{ role: 'user', content: 'Draft 2, please.' }], 'second'],
    ['not those for other conversations', [USER], 'other'],
    ['the next that fits, in the second call', [{ role: 'user', content: 'Draft 2' }, SAID], 'other'],
    [
      'also for a message in parts',
      [{ role: 'user', content: [{ type: 'text', text: 'Draft 2' }] }],
      'second',
    ],
    [
      'also for the result of a tool',
      [USER, { role: 'tool', content: [{ type: 'tool-result', output: 'Draft 2' }] }],
      'second',
    ],
    ['not because of the words of others', [{ role: 'system', content: 'Draft 2' }, USER], 'other'],
  ])('chooses among entries with "when": %s', async (_, messages, text) => {
    const script = [
      { when: 'Draft 3', text: 'third' },
      { when: 'Draft 2', text: 'second' },
      { text: 'other' },
    ];
    expect(await ask(script, { messages: [...messages] })).toMatchObject({ kind: 'text', text });
  });

  it('gives the same answer to the same request', async () => {
    const script = [{ reasoning: 'Hm.', text: 'Yes.', calls: [{ tool: 'look', input: { at: 'sky' } }] }];
    expect(await ask(script)).toEqual(await ask(script));
  });

  it('speaks and thinks in parts', async () => {
    const { call, progress, reasoned } = callOf([{ reasoning: 'It is so.', text: 'Good morning, Ada. 🦉' }]);
    await scriptedProvider(handTimers().later).ask(call);
    expect(progress.length).toBeGreaterThan(2);
    expect([progress.join(''), reasoned.join('')]).toEqual(['Good morning, Ada. 🦉', 'It is so.']);
  });

  it('calls tools, with ids that are unique in a conversation', async () => {
    const script = [{ text: 'I look.', calls: [{ tool: 'look', input: { at: 'sky' } }, { tool: 'look' }] }];
    const first = (await ask(script)) as ModelText;
    expect(first.parts).toEqual([
      { type: 'text', text: 'I look.' },
      { type: 'tool-call', id: 'call_1_1', name: 'look', input: { at: 'sky' } },
      { type: 'tool-call', id: 'call_1_2', name: 'look' },
    ]);
    const second = (await ask(script, {}, 1)) as ModelText;
    expect(second.parts?.[1]).toMatchObject({ id: 'call_3_1' });
  });

  it('answers with a value', async () => {
    expect(await ask([{ json: { b: 1, a: [true] } }])).toMatchObject({ text: '{"a":[true],"b":1}' });
  });

  it('refuses, and ends too early, on demand', async () => {
    expect(await ask([{ refusal: 'No.' }])).toMatchObject({ kind: 'refusal', text: 'No.' });
    expect(await ask([{ json: { a: 'long enough' }, truncated: true }])).toMatchObject({
      text: '{"a":"long',
      stopReason: 'max_tokens',
    });
  });

  it('loses its connection in the middle of an answer', async () => {
    const { call, progress } = callOf([{ text: 'Good morning, Ada.', cut: true }]);
    expect(await scriptedProvider(handTimers().later).ask(call)).toMatchObject({
      kind: 'error',
      retryable: true,
      error: { code: 'provider_interrupted' },
    });
    expect('Good morning, Ada.').toContain(progress.join(''));
    expect(progress.join('').length).toBeLessThan('Good morning, Ada.'.length);
  });

  it.each([
    [
      { status: 429, retryAfterMs: 50 },
      { retryable: true, retryAfterMs: 50, error: { code: 'provider_busy' } },
    ],
    [{ status: 500 }, { retryable: true, error: { code: 'provider_error' } }],
    [{ status: 401 }, { retryable: false, error: { code: 'provider_unauthorized' } }],
    [{ status: 400 }, { retryable: false, error: { code: 'provider_rejected' } }],
  ])('fails as with the status %j', async (error, expected) => {
    expect(await ask([{ error }])).toMatchObject({ kind: 'error', ...expected });
  });

  it('fails so many times for one call, and then answers', async () => {
    const provider = scriptedProvider(handTimers().later);
    const script = [{ error: { status: 500 }, times: 2, text: 'At last.' }];
    const kinds: string[] = [];
    for (let at = 0; at < 3; at += 1) kinds.push((await provider.ask(callOf(script).call)).kind);
    expect(kinds).toEqual(['error', 'error', 'text']);
    expect((await provider.ask({ ...callOf(script).call, key: 'another' })).kind).toBe('error');
  });

  it('waits as long as it is told, or until it is aborted', async () => {
    const timers = handTimers();
    const provider = scriptedProvider(timers.later);
    const answer = provider.ask(callOf([{ text: 'Late.', delayMs: 400 }]).call);
    await timers.running(400);
    timers.fire(400);
    expect(await answer).toMatchObject({ text: 'Late.' });

    const abort = new AbortController();
    const aborted = provider.ask({
      ...callOf([{ text: 'Never.', delayMs: 400 }]).call,
      signal: abort.signal,
    });
    await timers.running(400);
    abort.abort();
    expect(await aborted).toMatchObject({ kind: 'error', error: { code: 'provider_interrupted' } });
    expect(timers.count()).toBe(0);
  });

  it('gives the smallest answer that fits when it has no script', async () => {
    const schema = { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } };
    expect(await ask(undefined, { responseFormat: { type: 'json', schema } })).toMatchObject({
      text: '{"ok":true}',
    });
    expect(await ask(undefined)).toMatchObject({ kind: 'text', text: expect.stringContaining('no script') });
  });

  it.each([[[]], [[{ say: 'x' }]], [[{ error: { status: 200 } }]], ['text']])(
    'says what is wrong with the script %j',
    async (script) => {
      expect(await ask(script)).toMatchObject({
        kind: 'error',
        retryable: false,
        error: { code: 'input_invalid', message: expect.stringContaining('script') },
      });
    },
  );
});
