import { type ConnectedModels, connectModels, type ModelsConfig, vendorsHere } from '@baton/agents';
import type { ModelAnswer, ModelCall } from '@baton/engine/ports';
import type { ModelRequest } from '@baton/protocol';
import { handTimers } from './hand-timers.ts';

/** Asks models through the real packages of the vendors. */

export const CANARY = 'sk-canary-7f3e9a1c5b';

type Providers = ModelsConfig['providers'];
export type Provider = Providers[string];

/** The five ways to speak with a vendor, with a model name that its package knows. */
export const ADAPTERS = {
  chat: { kind: 'openai', api: 'chat', model: 'gpt-4o-mini', path: '/chat/completions' },
  responses: { kind: 'openai', api: 'responses', model: 'gpt-5.4', path: '/responses' },
  anthropic: { kind: 'anthropic', model: 'claude-sonnet-4-5', path: '/messages' },
  google: { kind: 'google', model: 'gemini-2.5-flash', path: ':streamGenerateContent' },
  compatible: { kind: 'openai-compatible', model: 'llama3', path: '/chat/completions' },
} as const;
export type AdapterName = keyof typeof ADAPTERS;
export const ADAPTER_NAMES = Object.keys(ADAPTERS) as AdapterName[];

export function providerAt(adapter: AdapterName, baseURL: string, more: Partial<Provider> = {}): Provider {
  const { kind, ...named } = ADAPTERS[adapter];
  return {
    kind,
    ...('api' in named && { api: named.api }),
    baseURL,
    key: { value: CANARY },
    concurrency: 8,
    maxOutputTokens: 500,
    firstByteMs: 120_000,
    silenceMs: 60_000,
    totalMs: 1_800_000,
    structuredOutputs: true,
    ...more,
  };
}

export function configOf(providers: Providers, more: Partial<ModelsConfig> = {}): ModelsConfig {
  const [provider = 'scripted'] = Object.keys(providers);
  const target = { provider, model: 'model' };
  const classes = {
    reasoning: target,
    writing: target,
    coding: target,
    research: target,
    classification: target,
    general: target,
  };
  return { providers, classes, fallbacks: {}, prices: {}, ...more };
}

type ConnectOptions = Parameters<typeof connectModels>[1];

export function connected(config: ModelsConfig, more: Partial<ConnectOptions> = {}): ConnectedModels {
  const { now = () => 1_000_000, later = handTimers().later } = more;
  const vendors = vendorsHere({ later, now, pace: (read) => read() });
  return connectModels(config, { secretOf: async () => undefined, vendors, ...more, now, later });
}

export interface Told {
  readonly answer: ModelAnswer;
  readonly progress: string;
  readonly reasoned: string;
}

export function requestTo(provider: string, model: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return { provider, model, messages: [{ role: 'user', content: 'Say hello.' }], ...more };
}

/** Asks once, and gathers what was told meanwhile. */
export async function ask(
  models: ConnectedModels,
  request: ModelRequest,
  more: Partial<ModelCall> = {},
): Promise<Told> {
  let progress = '';
  let reasoned = '';
  const answer = await models.provider(request.provider)?.ask({
    request,
    tenant: 'acme',
    nodeId: 'n',
    key: 'run:n:1:1:1',
    signal: new AbortController().signal,
    progress: (text) => {
      progress += text;
    },
    reasoned: (text) => {
      reasoned += text;
    },
    ...more,
  });
  if (answer === undefined) throw new Error(`${request.provider} is not connected`);
  return { answer, progress, reasoned };
}
