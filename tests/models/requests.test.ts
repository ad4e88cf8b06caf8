import type { ModelRequest } from '@baton/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import {
  ADAPTER_NAMES,
  ADAPTERS,
  type AdapterName,
  ask,
  CANARY,
  configOf,
  connected,
  type Provider,
  providerAt,
  requestTo,
} from './asking.ts';
import type { Scenario } from './wire/scenario.ts';
import { startWireServer, type WireRequest, type WireServer } from './wire-server.ts';

/** What the vendors are sent. */
const server: WireServer = await startWireServer();
afterAll(() => server.close());

const HELLO = { text: 'Hello.' } as const;

async function exchanged(
  adapter: AdapterName,
  more: Partial<ModelRequest> = {},
  scenario: Scenario = HELLO,
  config: Partial<Provider> = {},
) {
  const provider = providerAt(adapter, server.baseURL(scenario), config);
  const { answer } = await ask(connected(configOf({ p: provider })), {
    ...requestTo('p', ADAPTERS[adapter].model),
    ...more,
  });
  return { answer, request: server.requests.at(-1) as WireRequest };
}

/** The body that was sent. */
async function sent(
  adapter: AdapterName,
  more: Partial<ModelRequest> = {},
): Promise<Record<string, unknown>> {
  return (await exchanged(adapter, more)).request.body;
}

const rolesIn = ({ messages, input, contents }: Record<string, unknown>) =>
  ((messages ?? input ?? contents) as { role?: string }[]).map(({ role }) => role);

describe.each(ADAPTER_NAMES)('a request to %s', (adapter) => {
  it('has the key in the header of the vendor only', async () => {
    const { request } = await exchanged(adapter);
    const { headers, body, path } = request;
    const holding = Object.entries(headers).filter(([, value]) => String(value).includes(CANARY));
    const name = { anthropic: 'x-api-key', google: 'x-goog-api-key' }[adapter as string] ?? 'authorization';
    expect(holding.map(([header]) => header)).toEqual([name]);
    expect(JSON.stringify([body, path])).not.toContain(CANARY);
  });

  it('bounds the length of the answer, as the request or else the configuration says', async () => {
    expect(JSON.stringify(await sent(adapter))).toMatch(/[tT]okens":500\b/);
    expect(JSON.stringify(await sent(adapter, { maxOutputTokens: 77 }))).toMatch(/[tT]okens":77\b/);
  });

  it('has a late system message as a message of the user', async () => {
    const body = await sent(adapter, {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello?' },
        { role: 'assistant', content: 'Hi' },
        { role: 'system', content: 'That was wrong.' },
      ],
    });
    expect(rolesIn(body).at(-1)).toBe('user');
    expect(rolesIn(body).filter((role) => role === 'user')).toHaveLength(2);
    expect(JSON.stringify(body)).toContain('That was wrong.');
  });

  it('has a question even if there is only a system message', async () => {
    const body = await sent(adapter, { messages: [{ role: 'system', content: 'Say hello.' }] });
    expect(rolesIn(body)).toEqual(['user']);
  });

  it('has a tool call and its result, and an object for arguments that could not be read', async () => {
    const body = await sent(adapter, {
      messages: [
        { role: 'user', content: 'Look.' },
        {
          role: 'assistant',
          content: [
            { type: 'tool-call', id: 'c1', name: 'look', input: { at: 'sky' } },
            { type: 'tool-call', id: 'c2', name: 'look' },
          ],
        },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', id: 'c1', name: 'look', output: { seen: 'BLUE' } },
            { type: 'tool-result', id: 'c2', name: 'look', output: 'BROKEN', isError: true },
          ],
        },
      ],
      tools: [{ name: 'look', parameters: { type: 'object', properties: { at: { type: 'string' } } } }],
    });
    const all = JSON.stringify(body);
    expect(all).toContain('sky');
    expect(all).toContain('BLUE');
    expect(all).toContain('BROKEN');
    expect(all).toMatch(/("arguments":"{}"|"input":{}|"args":{})/);
  });

  it('refuses a part that it cannot send, and sends nothing', async () => {
    const before = server.requests.length;
    const messages = [{ role: 'user' as const, content: [{ type: 'hologram', data: 'SECRET' }] }];
    const { answer } = await exchanged(adapter, { messages });
    expect(answer).toMatchObject({ kind: 'error', retryable: false, error: { code: 'input_invalid' } });
    expect(JSON.stringify(answer)).not.toContain('SECRET');
    expect(server.requests.length).toBe(before);
  });

  it('has options that are named after the provider or its kind, and no others', async () => {
    const { kind } = ADAPTERS[adapter];
    const option = {
      openai: 'user',
      anthropic: 'effort',
      google: 'cachedContent',
      'openai-compatible': 'user',
    }[kind];
    const value = kind === 'anthropic' ? 'low' : 'VALUE';
    const body = await sent(adapter, {
      providerOptions: { [`vendor.${kind}.${option}`]: value, 'vendor.other.user': 'NOT' },
    });
    expect(JSON.stringify(body)).toContain(`"${value}"`);
    expect(JSON.stringify(body)).not.toContain('NOT');
  });
});

const FREE = { type: 'object', properties: { a: { type: 'string' } } };
const STRICT = { ...FREE, required: ['a'], additionalProperties: false };

it.each([
  ['chat', FREE, false],
  ['chat', STRICT, true],
  ['chat', { ...STRICT, properties: { a: { type: 'string', minLength: 2 } } }, false],
  ['chat', { ...STRICT, properties: { a: FREE } }, false],
  ['responses', FREE, false],
  ['responses', STRICT, true],
  ['compatible', FREE, false],
] as const)('asks %s for strict output only if the schema %j fits', async (adapter, schema, strict) => {
  const body = await sent(adapter, { responseFormat: { type: 'json', schema } });
  expect(JSON.stringify(body)).toContain(`"strict":${strict}`);
  expect(JSON.stringify(body)).not.toContain(`"strict":${!strict}`);
});

it('asks a compatible endpoint without schemas for JSON only', async () => {
  const config = { structuredOutputs: false };
  const responseFormat = { type: 'json' as const, schema: FREE };
  const { request, answer } = await exchanged('compatible', { responseFormat }, HELLO, config);
  expect(request.body.response_format).toEqual({ type: 'json_object' });
  expect(answer).toMatchObject({ notes: [expect.stringContaining('responseFormat')] });
});

it('leaves nothing of a conversation with OpenAI, and asks for its reasoning', async () => {
  expect(await sent('responses')).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
});

it('sends no key to an endpoint that needs none', async () => {
  const { request } = await exchanged('compatible', {}, HELLO, { key: undefined });
  expect(request.headers).not.toHaveProperty('authorization');
});

it('notes what a vendor does not take', async () => {
  const { answer } = await exchanged('responses', { seed: 4, safetySettings: { HARM: 'NONE' } });
  const { notes = [] } = answer as { notes?: readonly string[] };
  expect(notes.join('\n')).toContain('seed');
  expect(notes.join('\n')).toContain('safetySettings');
});

it('sends safety settings to Google', async () => {
  const body = await sent('google', {
    safetySettings: { HARM_CATEGORY_HARASSMENT: 'BLOCK_NONE' },
  });
  expect(body.safetySettings).toEqual([{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }]);
});

describe('reasoning', () => {
  const THINKING: Scenario = {
    reasoning: 'I think so.',
    signature: 'SIGNED',
    calls: [{ id: 'c1', name: 'look', input: '{}' }],
  };
  const tools = [{ name: 'look', parameters: { type: 'object' } }];

  /** The next request of the conversation, to the same provider or to another one. */
  async function next(adapter: AdapterName, provider: string) {
    const first = providerAt(adapter, server.baseURL(THINKING));
    const { answer, reasoned } = await ask(
      connected(configOf({ p: first })),
      requestTo('p', ADAPTERS[adapter].model, { tools }),
    );
    const { parts = [] } = answer as { parts?: readonly Record<string, never>[] };
    const call = parts.find(({ type }) => type === ('tool-call' as never));
    // Through JSON, as the log keeps it.
    const said = JSON.parse(JSON.stringify(parts)) as Record<string, never>[];
    const models = connected(configOf({ [provider]: providerAt(adapter, server.baseURL(HELLO)) }));
    const result = { type: 'tool-result', id: String(call?.id), name: 'look', output: 'BLUE' };
    await ask(
      models,
      requestTo(provider, ADAPTERS[adapter].model, {
        tools,
        messages: [
          { role: 'user', content: 'Look.' },
          { role: 'assistant', content: said },
          { role: 'tool', content: [result] },
        ],
      }),
    );
    return { reasoned, body: JSON.stringify(server.requests.at(-1)?.body) };
  }

  it.each(['responses', 'anthropic', 'google'] as const)(
    'goes back to %s with its signature',
    async (adapter) => {
      const { reasoned, body } = await next(adapter, 'p');
      expect(reasoned).toBe('I think so.');
      expect(body).toContain('SIGNED');
      expect(body).toContain('BLUE');
    },
  );

  it('goes back to a compatible endpoint', async () => {
    const { reasoned, body } = await next('compatible', 'p');
    expect(reasoned).toBe('I think so.');
    expect(body).toContain('"reasoning_content":"I think so."');
  });

  it.each(['responses', 'anthropic', 'google', 'compatible'] as const)(
    'of another provider does not go to %s, and what belongs to it neither',
    async (adapter) => {
      const { body } = await next(adapter, 'q');
      expect(body).not.toContain('SIGNED');
      expect(body).not.toContain('I think so.');
      expect(body).not.toMatch(/"(rs_1|fc_0)"/);
      expect(body).toContain('BLUE');
    },
  );
});
